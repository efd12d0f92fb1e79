"""Describe the name at a place: its definition, its documentation, where it is mentioned; in milliseconds.

An editor asks whenever the pointer rests. So nothing waits here for indexing, nothing is embedded, only the text of the
one document comes along, and where its parse takes longer than a moment the text of the last index stands in for it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from codecite.detect.languages import language_of
from codecite.engine.asking import Asking
from codecite.engine.overlays import Overlay
from codecite.engine.view import View
from codecite.model import terms as words_of
from codecite.model.descriptions import Defined, Description, Lack, Mentions
from codecite.model.hits import Citation, Focus
from codecite.model.lines import split_lines, strip_line_end
from codecite.ports import BlockReader, BlockRow, BlockText
from codecite.retrieve.imports import Imports
from codecite.retrieve.naming import Choice, Chooser, Here, Named
from codecite.retrieve.pointing import words_at
from codecite.retrieve.roles import place
from codecite.retrieve.surroundings import is_prose

PATIENCE_SECONDS = 0.02  # for the parse of the document's unsaved text
FEW = 10  # definitions of a name whose files are looked for on disk
MOST_LISTED = 4  # definitions named where several may be meant
MOST_COUNTED = 200  # blocks in which mentions are counted
MOST_CODE, MOST_TESTS = 3, 2  # mentions shown
_GO_MODULE = re.compile(r"^module[ \t]+\"?([^\s\"]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Describing:
    """Describes names of one workspace. Blocks; runs on a thread."""

    asking: Asking

    def describe(
        self, path: str, line: int, column: int, overlays: Sequence[Overlay] = ()
    ) -> Description | None:
        """Describe the name at a 1-based line and a 0-based column, in code points.

        None where nothing is to be said.
        """
        with self.asking.health.ledger.reader() as ledger:
            view, problems = self.asking.view(ledger, overlays, PATIENCE_SECONDS)
            text = view.present.text(path) or ""
            lines = split_lines(text)
            if not 1 <= line <= len(lines):
                return None
            this = strip_line_end(lines[line - 1])
            for word in words_at(this, column):
                here = _here(view, path, text, lines, line, word.column)
                named = _named(view, here.target(word))
                choice = Chooser(word, here, lambda name: bool(_named(view, name))).choose(named)
                if choice and (defined := list(self._defined(view, choice))):
                    return Description(
                        name=word.name,
                        column=word.column,
                        length=len(word.name),
                        reason=choice.reason,
                        total=len(choice.found),
                        definitions=tuple(defined),
                        mentions=_mentions(view, here, choice, named) if choice.reason else None,
                        receiver_unknown=choice.receiver_unknown,
                        imported_from=choice.imported_from,
                        lacks=tuple(self._lacks(unread=bool(problems))),
                        workspace=str(self.asking.workspace),
                        sequence=ledger.sequence,
                        commit=ledger.commit,
                    )
            return None

    def _defined(self, view: View, choice: Choice) -> Iterator[Defined]:
        """Yield the definitions as they stand now; those of files that are gone are not told of."""
        count = 1 if choice.reason else MOST_LISTED
        there = (one for one in choice.found if view.present.there(one.path))
        for one in islice(there, count):
            definition = one.definition
            row = _row_at(view.reader, one.path, definition.name_line)
            if row is None:
                continue
            focus = Focus(definition.name_line, definition.name_column, len(definition.name))
            citation = view.as_now(_citation(row, definition.symbol, focus))
            doc = row.block.doc if row.block.symbol == definition.symbol else ""
            yield Defined(citation, definition.kind, definition.signature, doc)

    def _lacks(self, *, unread: bool) -> Iterator[Lack]:
        sync = self.asking.health.sync
        if sync.last_success is None:
            yield "building"
        if self.asking.health.last_error:
            yield "failing"
        if unread:
            yield "unread"


def _here(view: View, path: str, text: str, lines: Sequence[str], line: int, column: int) -> Here:
    language = language_of(path, lines[0])
    before = sum(map(len, lines[: line - 1]))
    around = [one for one in view.reader.file_definitions(path) if one.start_line <= line <= one.end_line]
    prose = is_prose(language, text, before, column)
    imports = Imports(language, text, _go_module(view, path) if language == "go" else None)
    return Here(path, language, line, prose, imports, text, around)


def _go_module(view: View, path: str) -> tuple[str, str] | None:
    """Return the name of the Go module that holds a file, and its folder; None where no go.mod tells."""
    for folder in PurePosixPath(path).parents:
        declared = view.present.text((folder / "go.mod").as_posix())
        if declared and (named := _GO_MODULE.search(declared)):
            return named[1], "" if folder == PurePosixPath() else folder.as_posix()
    return None


def _named(view: View, name: str) -> list[Named]:
    """Return the definitions whose own name is exactly this one; where they are few, without those that are gone."""
    found = [(path, one) for path, one in view.reader.definitions_named([name]) if one.name == name]
    if len(found) <= FEW:
        found = [(path, one) for path, one in found if view.present.there(path)]
    return [Named(path, language_of(path), one) for path, one in found]


def _row_at(reader: BlockReader, path: str, line: int) -> BlockRow | None:
    at = next((one.id for one in reader.outline(path) if one.start_line <= line <= one.end_line), None)
    return reader.block_rows([at]).get(at) if at else None


def _citation(row: BlockRow, symbol: str, focus: Focus) -> Citation:
    block = row.block
    return Citation(
        n=1, id=block.id, path=block.path, start_line=block.start_line, end_line=block.end_line, symbol=symbol,
        kind=block.kind, language=block.language, text=block.text, score=0.0, why="", state="fresh",
        indexed_at=row.indexed_at, commit=row.commit, focus=focus,
    )  # fmt: skip


# --- mentions --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Mentioned:
    """A block that mentions a name, and the places in it: offsets in its text."""

    block: BlockText
    offsets: Sequence[int]


def _mentions(view: View, here: Here, choice: Choice, named: Sequence[Named]) -> Mentions | None:
    """Count where the one definition's name is mentioned, by whoever may mean it: names are not types."""
    definition = choice.found[0].definition
    name = definition.name
    terms = _terms(name)
    if not terms:
        return None
    blocks = view.reader.blocks_holding(terms, MOST_COUNTED + 1)
    defining = {(one.path, one.definition.name_line, one.definition.name_column) for one in named}
    found = [
        _Mentioned(block, offsets)
        for block in blocks[:MOST_COUNTED]
        if (offsets := [at for at in _offsets(block.text, name) if not _defines(block, at, defining)])
    ]
    ranked = sorted(found, key=lambda one: _order(one, here, choice.found[0].path))
    return Mentions(
        places=sum(len(one.offsets) for one in found),
        files=len({one.block.path for one in found}),
        complete=len(blocks) <= MOST_COUNTED,
        code=_shown(view, ranked, name, MOST_CODE, lambda role: role == "code"),
        tests=_shown(view, ranked, name, MOST_TESTS, lambda role: role == "test"),
    )


def _terms(name: str) -> list[str]:
    """Return the terms that every block with this name holds; of a name of several sub-words the rarest."""
    found: list[str] = []
    for word in words_of.words(name):
        terms = words_of.terms(word)
        found += terms if words_of.is_cjk(word) else terms[-1:]
    return list(dict.fromkeys(found))


def _offsets(text: str, name: str) -> Iterator[int]:
    """Yield where a name stands whole."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _continues(text[at - 1 : at]) and not _continues(text[end : end + 1]):
            yield at
        at = text.find(name, end)


def _continues(character: str) -> bool:
    return character.isalnum() or character in ("_", "$") if character else False


def _place(block: BlockText, offset: int) -> tuple[int, int]:
    """Return line and column of an offset in a block."""
    before = split_lines(block.text[:offset])
    if before and before[-1] == strip_line_end(before[-1]):
        return block.start_line + len(before) - 1, len(before[-1])
    return block.start_line + len(before), 0


def _defines(block: BlockText, offset: int, defining: set[tuple[str, int, int]]) -> bool:
    return (block.path, *_place(block, offset)) in defining


def _order(one: _Mentioned, here: Here, home: str) -> tuple[bool, bool, bool, int, str, int]:
    """Code that uses it comes before what imports it; other files before the one where it is defined, or shown."""
    block = one.block
    return (
        block.kind == "imports",
        block.path in (here.path, home),
        not block.symbol,
        -len(one.offsets),
        block.path,
        block.start_line,
    )


def _shown(
    view: View, ranked: Sequence[_Mentioned], name: str, count: int, wanted: Callable[[str], bool]
) -> tuple[Citation, ...]:
    """Return the first place of the best blocks, one a file, as it stands now."""
    chosen: dict[str, _Mentioned] = {}
    for one in ranked:
        if len(chosen) == count:
            break
        path = one.block.path
        if path not in chosen and wanted(place(path).role) and view.present.there(path):
            chosen[path] = one
    rows = view.reader.block_rows([one.block.id for one in chosen.values()])
    found = []
    for one in chosen.values():
        line, column = _place(one.block, one.offsets[0])
        row = rows[one.block.id]
        now = view.as_now(_citation(row, row.block.symbol, Focus(line, column, len(name))))
        if now.focus is not None:
            found.append(now)
    return tuple(found)
