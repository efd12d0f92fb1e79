"""Open documents follow the editor: edits in each encoding against a model that knows nothing but offsets."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from codecite.lsp.documents import Document, Documents
from codecite.lsp.positions import Encoding

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def _position(text: str, offset: int, encoding: Encoding) -> types.Position:
    """Say where an offset is as a client would: an editor's lines, columns counted by Python's codec."""
    ends = [match.end() for match in re.finditer(r"\r\n|\r|\n", text) if match.end() <= offset]
    start = ends[-1] if ends else 0
    units = len(text[start:offset].encode(_CODECS[encoding])) // _UNIT[encoding]
    return types.Position(len(ends), units)


def _edit(
    text: str, start: int, end: int, new: str, encoding: Encoding
) -> types.TextDocumentContentChangePartial:
    span = types.Range(_position(text, start, encoding), _position(text, end, encoding))
    return types.TextDocumentContentChangePartial(range=span, text=new)


texts = st.text(
    st.sampled_from("ab 名\u00e9\U0001f680\U0001d465\u200d\f\v\u2028\u2029\x85\x1c\t\r\n"), max_size=25
)


@given(
    texts,
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), texts), max_size=6),
    st.sampled_from(ENCODINGS),
)
def test_edits_equal_a_model_of_offsets(
    text: str, edits: list[tuple[int, int, str]], encoding: Encoding
) -> None:
    document = Document.of("file:///a", 1, text)
    for first, second, new in edits:
        start, end = sorted((min(first, len(text)), min(second, len(text))))
        # No client can point between a CR and its LF: that place has no line and column.
        start, end = (at - 1 if text[at - 1 : at + 1] == "\r\n" else at for at in (start, end))
        document.apply(_edit(text, start, end, new, encoding), encoding)
        text = text[:start] + new + text[end:]
        assert document.text == text


@given(
    texts,
    st.integers(0, 9),
    st.integers(0, 60),
    st.integers(0, 9),
    st.integers(0, 60),
    st.sampled_from(ENCODINGS),
)
def test_positions_outside_are_clamped(
    text: str, line: int, character: int, end_line: int, end_character: int, encoding: Encoding
) -> None:
    document = Document.of("file:///a", 1, text)
    span = types.Range(types.Position(line, character), types.Position(end_line, end_character))
    document.apply(types.TextDocumentContentChangePartial(range=span, text="<X>"), encoding)
    before, after = document.text.split("<X>")
    assert text.startswith(before)
    assert text.endswith(after)


# name, text, line, character, the whole text after "|" was inserted there
INSERTS = [
    ("form feed ends no line", "a\fb\nc\n", 1, 0, "a\fb\n|c\n"),
    ("line separator ends no line", "a\u2028b\nc\n", 1, 1, "a\u2028b\nc|\n"),
    ("next line ends no line", "a\x85b\nc", 1, 0, "a\x85b\n|c"),
    ("CR ends a line", "a\rb\rc", 2, 0, "a\rb\r|c"),
    ("CRLF ends one", "a\r\nb\r\n", 1, 1, "a\r\nb|\r\n"),
    ("beyond a CRLF is before it", "a\r\nb", 0, 9, "a|\r\nb"),
    ("after the last line end", "a\n", 1, 0, "a\n|"),
    ("far beyond the end", "a", 7, 3, "a|"),
    ("empty", "", 0, 0, "|"),
    ("behind an astral character", "\U0001f680x", 0, 2, "\U0001f680|x"),
    ("inside a surrogate pair", "\U0001f680x", 0, 1, "|\U0001f680x"),
]


@pytest.mark.parametrize(
    ("text", "line", "character", "expected"),
    [case[1:] for case in INSERTS],
    ids=[case[0] for case in INSERTS],
)
def test_insert(text: str, line: int, character: int, expected: str) -> None:
    document = Document.of("file:///a", 1, text)
    at = types.Position(line, character)
    document.apply(types.TextDocumentContentChangePartial(range=types.Range(at, at), text="|"), "utf-16")
    assert document.text == expected


def test_a_change_without_a_range_is_the_whole_text() -> None:
    documents = Documents()
    documents.open("file:///ws/a.py", 1, "old\n")
    at = types.Position(0, 0)
    changes: list[types.TextDocumentContentChangeEvent] = [
        types.TextDocumentContentChangePartial(range=types.Range(at, at), text="x"),
        types.TextDocumentContentChangeWholeDocument(text="new\n"),
        types.TextDocumentContentChangePartial(range=types.Range(at, types.Position(0, 3)), text="newer"),
    ]
    documents.change("file:///ws/a.py", 2, changes, "utf-16")
    document = documents.get("/ws/a.py")
    assert document is not None
    assert (document.text, document.version) == ("newer\n", 2)


def test_a_line_feed_put_behind_a_carriage_return_joins_it() -> None:
    document = Document.of("file:///a", 1, "a\rb")
    at = types.Position(1, 0)
    document.apply(types.TextDocumentContentChangePartial(range=types.Range(at, at), text="\n"), "utf-16")
    document.apply(types.TextDocumentContentChangePartial(range=types.Range(at, at), text="|"), "utf-16")
    assert document.text == "a\r\n|b"


def test_a_drive_is_one_document_however_it_is_spelled() -> None:
    documents = Documents()
    documents.open("file:///c%3A/Proj/Src/a.py", 1, "one = 1\n")
    whole = [types.TextDocumentContentChangeWholeDocument(text="two = 2\n")]
    documents.change("file:///C:/Proj/Src/a.py", 2, whole, "utf-16")
    assert len(documents) == 1
    document = documents.get("c:/Proj/Src/a.py")
    assert document is not None
    assert (document.uri, document.text) == ("file:///c%3A/Proj/Src/a.py", "two = 2\n")
    documents.close("file:///c:/Proj/Src/a.py")
    assert len(documents) == 0


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "git:/ws/a.py?x",
        "vscode-vfs://github/a.py",
        "vscode-notebook-cell:/ws/n.ipynb#W0",
        "%%%",
        "",
    ],
)
def test_what_is_no_file_is_not_kept(uri: str) -> None:
    documents = Documents()
    documents.open(uri, 1, "x\n")
    documents.change(uri, 2, [types.TextDocumentContentChangeWholeDocument(text="y\n")], "utf-16")
    documents.close(uri)
    assert len(documents) == 0


def test_a_document_never_opened_stays_unknown() -> None:
    documents = Documents()
    documents.change(
        "file:///ws/a.py", 2, [types.TextDocumentContentChangeWholeDocument(text="y\n")], "utf-16"
    )
    assert len(documents) == 0
