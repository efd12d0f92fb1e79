"""Plan what is written of a file: its blocks under their ids, the terms of each field, the texts to embed."""

from collections import Counter
from dataclasses import fields

from codecite.index.worth import file_is_worth, leaf_is_worth
from codecite.model.blocks import Block, Leaf, ParsedFile, block_ids, embed_key
from codecite.model.terms import joined_terms
from codecite.ports import IndexedBlock, Terms

LONGEST_FIELD = 32_768  # characters read of a field; 256 full lines of code are less, only data is longer

_LEAF_FIELDS = tuple(field.name for field in fields(Leaf))


def indexed_blocks(
    path: str, parsed: ParsedFile, model_digest: str
) -> tuple[list[IndexedBlock], dict[str, str]]:
    """Return the blocks of a file in order of lines, and the embedding text of each of their embed_keys."""
    path_terms = joined_terms(path)
    embedded = file_is_worth(path)
    blocks = []
    texts: dict[str, str] = {}
    for identity, leaf in zip(block_ids(path, parsed.leaves), parsed.leaves, strict=True):
        key = embed_key(model_digest, leaf.embed_text) if embedded and leaf_is_worth(leaf) else ""
        if key:
            texts[key] = leaf.embed_text
        block = Block(**{name: getattr(leaf, name) for name in _LEAF_FIELDS}, id=identity, path=path)
        blocks.append(IndexedBlock(block, _terms(leaf, path_terms), key))
    return blocks, texts


def _terms(leaf: Leaf, path_terms: str) -> Terms:
    if not leaf.embed_text:
        # Closers, blank lines, a notebook's outputs: nothing that anyone wrote to be found.
        return Terms("", "", path_terms, "", "")
    comment = joined_terms(f"{leaf.doc}\n{leaf.comments}"[:LONGEST_FIELD])
    return Terms(
        name=joined_terms(leaf.name),
        parent=joined_terms(leaf.symbol.removesuffix(leaf.name)),
        path=path_terms,
        body=_without(joined_terms(leaf.text[:LONGEST_FIELD]), comment),
        comment=comment,
    )


def _without(body: str, comment: str) -> str:
    """Take the terms of the comments, which stand in the text too, out of it: a field weighs what it says.

    The order of terms is lost with it; ranking counts them only.
    """
    if not comment:
        return body
    left = Counter(body.split())
    left.subtract(comment.split())
    return " ".join(left.elements())
