"""Which blocks a vector helps to find: code and the documentation written for it.

Translated messages and documents repeat what the original says, many times over; tables, drawings and locked
versions say nothing in words. They are found by their words alone: embedding them costs time and crowds out the
original. Judged by path and text only, so that the same file is judged the same everywhere.
"""

import re
from pathlib import PurePosixPath

from codecite.model.blocks import Leaf

SAMPLE = 4_000  # characters of a block that are looked at
FEWEST_LETTERS = 0.3  # share of what is not white space: prose 0.95, code 0.6 to 0.8
SHORTEST_TABLE = 100  # characters that are not white space: less is too little to be a table
LONGEST_LINE = 2_000  # characters: no one wrote a longer line by hand

_NAMED_KINDS = frozenset(("function", "method", "class"))  # what has a name of its own is asked for by it
_LETTERS = re.compile(r"[^\W\d_]{2,}")  # a lone letter is as likely a digit or a mark: 0x1f, 10e3, L20
_LINE_END = re.compile(r"[\r\n]")
_DATA_SUFFIXES = frozenset(
    (
        ".csv",
        ".geojson",
        ".lock",
        ".ndjson",
        ".jsonl",
        ".po",
        ".pot",
        ".svg",
        ".tsv",
        ".wkt",
        ".xlf",
        ".xliff",
    )
)
_DATA_NAMES = frozenset(
    ("go.sum", "npm-shrinkwrap.json", "package-lock.json", "packages.lock.json", "pnpm-lock.yaml")
)
_DOCUMENT_SUFFIXES = frozenset((".adoc", ".htm", ".html", ".md", ".mdx", ".rst", ".txt"))
_MESSAGE_SUFFIXES = frozenset(
    (".arb", ".json", ".php", ".properties", ".resx", ".strings", ".toml", ".yaml", ".yml")
)
_MESSAGE_FOLDERS = frozenset(
    ("i18n", "l10n", "lang", "langs", "languages", "locale", "locales", "messages", "translations")
)
_DOCUMENT_FOLDERS = _MESSAGE_FOLDERS | {
    "doc",
    "docs",
    "documentation",
    "guide",
    "guides",
    "site",
    "website",
    "wiki",
}

# Languages that software is translated into (ISO 639-1), without English; regions and scripts: pt-BR, zh_Hant.
_LANGUAGE = (
    r"(?:ar|az|be|bg|bn|bs|ca|cs|da|de|el|eo|es|et|eu|fa|fi|fr|gl|he|hi|hr|hu|hy|id|is|it|ja|ka|kk|km|ko|lt|lv|mk|mn|"
    r"ms|my|nb|ne|nl|nn|pl|pt|ro|ru|sk|sl|sq|sr|sv|sw|ta|te|th|tr|uk|ur|uz|vi|zh)"
)
_REGION = r"(?:[-_](?:[a-z]{2}|hans|hant|latn|cyrl|419))?"
_TONGUE = re.compile(rf"{_LANGUAGE}{_REGION}")
_README = re.compile(rf"(?:readme|contributing|changelog)[._-](?:{_LANGUAGE}{_REGION}|cn|jp|kr|br)")
_NAMED_TONGUE = re.compile(rf".*[._-]{_LANGUAGE}{_REGION}")


def file_is_worth(path: str) -> bool:
    """Say whether the blocks of a file get vectors at all."""
    return not is_data_file(path) and not is_translation(path)


def leaf_is_worth(leaf: Leaf) -> bool:
    """Say whether a block of such a file gets a vector; one that does not is still found by its words."""
    if not leaf.embed_text or leaf.kind == "imports":  # imports say what others mean; their words find them
        return False
    return leaf.kind in _NAMED_KINDS or has_words(leaf.text)


def is_data_file(path: str) -> bool:
    """Say whether a file's name says that it holds no writing: data, drawings, locks, message catalogues."""
    name = PurePosixPath(path.lower())
    return name.suffix in _DATA_SUFFIXES or name.name in _DATA_NAMES


def is_translation(path: str) -> bool:
    """Say whether a document or a file of messages is in a language other than English, told by its path."""
    *folders, name = path.lower().split("/")
    stem, dot, suffix = name.rpartition(".")
    if dot + suffix in _DOCUMENT_SUFFIXES:
        return bool(_README.fullmatch(stem)) or _under(folders, _DOCUMENT_FOLDERS)
    if dot + suffix in _MESSAGE_SUFFIXES:
        in_messages = not _MESSAGE_FOLDERS.isdisjoint(folders)
        return _under(folders, _MESSAGE_FOLDERS) or (
            in_messages and bool(_TONGUE.fullmatch(stem) or _NAMED_TONGUE.fullmatch(stem))
        )
    return False


def has_words(text: str) -> bool:
    """Say whether a text reads as code or prose rather than as numbers, hashes or one endless line."""
    sample = text[:SAMPLE]
    if len(sample) > LONGEST_LINE and max(map(len, _LINE_END.split(sample))) > LONGEST_LINE:
        return False
    dense = len("".join(sample.split()))
    return dense < SHORTEST_TABLE or sum(map(len, _LETTERS.findall(sample))) >= FEWEST_LETTERS * dense


def _under(folders: list[str], roots: frozenset[str]) -> bool:
    """Say whether a folder named for a language stands inside one of these folders."""
    for place, folder in enumerate(folders):
        if folder in roots:
            return any(_TONGUE.fullmatch(inner) for inner in folders[place + 1 :])
    return False
