"""URIs and paths are two spellings of one thing, for every name a file can have."""

import ntpath
import posixpath

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from codecite.lsp.uris import child_uri, is_within, path_key, to_path, to_uri

NAMES = [
    "plain.py",
    "100%.py",
    "literal%20escape.py",
    "%41.py",
    "a#b.py",
    "what?.py",
    "two words.py",
    "[id].ts",
    "a&b=c;d,e.ts",
    "caf\u00e9.py",
    "cafe\u0301.py",
    "C#.cs",
    "名前.py",
    "\U0001f680.py",
    "new\nline.py",
    "tab\t.py",
    "~home.py",
    "a:b.py",
    "quote\"'.py",
    "back\\slash.py",
    "+plus.py",
]


@pytest.mark.parametrize("name", NAMES)
def test_posix_names_come_back(name: str) -> None:
    path = f"/ws/{name}"
    uri = to_uri(path, windows=False)
    assert uri.isascii()
    assert to_path(uri, windows=False) == path
    assert child_uri("file:///ws", name, windows=False) == uri


def test_bytes_that_are_no_utf8_come_back() -> None:
    path = b"/ws/caf\xe9.py".decode("utf-8", "surrogateescape")
    assert to_uri(path, windows=False) == "file:///ws/caf%E9.py"
    assert to_path("file:///ws/caf%E9.py", windows=False) == path


posix_names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12
)


@given(st.lists(posix_names, min_size=1, max_size=4))
def test_posix_paths_come_back(names: list[str]) -> None:
    path = "/" + "/".join(names)
    assume(path == posixpath.normpath(path))
    assert to_path(to_uri(path, windows=False), windows=False) == path


windows_names = st.text(
    st.characters(exclude_characters='/\\\0<>:"|?*', exclude_categories=["Cc"]), min_size=1, max_size=12
)


@given(
    st.sampled_from(["C:\\", "Z:\\", "\\\\server\\share\\"]), st.lists(windows_names, min_size=1, max_size=4)
)
def test_windows_paths_come_back(root: str, names: list[str]) -> None:
    path = root + "\\".join(names)
    assume(path == ntpath.normpath(path))
    assert to_path(to_uri(path, windows=True), windows=True) == path


# uri, path on POSIX, path on Windows
READ = [
    ("file:///ws/a.py", "/ws/a.py", "\\ws\\a.py"),
    ("file:/ws/a.py", "/ws/a.py", "\\ws\\a.py"),
    ("FILE:///ws/a.py", "/ws/a.py", "\\ws\\a.py"),
    ("file://localhost/ws/a.py", "/ws/a.py", "\\ws\\a.py"),
    ("file:///ws/", "/ws", "\\ws"),
    ("file:///ws/x/../a.py", "/ws/a.py", "\\ws\\a.py"),
    ("file:///ws/ä b.py", "/ws/ä b.py", "\\ws\\ä b.py"),
    ("file:///c%3A/Proj/a.py", "/c:/Proj/a.py", "C:\\Proj\\a.py"),
    ("file:///C:/Proj/a.py", "/C:/Proj/a.py", "C:\\Proj\\a.py"),
    ("file:///c:", "/c:", "C:\\"),
    (
        "file://wsl.localhost/Ubuntu/home/u/b.py",
        "//wsl.localhost/Ubuntu/home/u/b.py",
        "\\\\wsl.localhost\\Ubuntu\\home\\u\\b.py",
    ),
    ("file:///", "/", "\\"),
]


@pytest.mark.parametrize(("uri", "posix", "windows"), READ)
def test_spellings_of_clients(uri: str, posix: str, windows: str) -> None:
    assert to_path(uri, windows=False) == posix
    assert to_path(uri, windows=True) == windows


NO_FILES = [
    "untitled:Untitled-1",
    "vscode-vfs://github/o/r/a.py",
    "git:/ws/a.py?%7B%22ref%22%3A%22~%22%7D",
    "vscode-notebook-cell:/ws/n.ipynb#W0sZmlsZQ%3D%3D",
    "_right_pane:/ws/a.py",
    "file:///ws/a.py#cell-1",
    "file:///ws/a.py?version=2",
    "file:///ws/a%00b.py",
    "file:relative.py",
    "/ws/a.py",
    "C:\\ws\\a.py",
    "",
    "file:",
    "://",
    "file://[::1",
    "http://localhost/ws/a.py",
]


@pytest.mark.parametrize("uri", NO_FILES)
def test_what_is_no_file_has_no_path(uri: str) -> None:
    assert to_path(uri, windows=False) is None
    assert to_path(uri, windows=True) is None


@given(st.text(max_size=40) | st.text(max_size=30).map(lambda rest: "file:///" + rest))
def test_no_text_is_too_odd_to_be_looked_at(uri: str) -> None:
    for windows in (False, True):
        path = to_path(uri, windows=windows)
        assert path is None or path[0] in "/\\" or path[1] == ":"


@pytest.mark.parametrize("windows", [False, True])
def test_one_key_for_all_spellings_of_a_drive(windows: bool) -> None:
    spellings = [
        "file:///c%3A/Proj/Src/a.py",
        "file:///C:/Proj/Src/a.py",
        "file:///c:/Proj/Src/a.py",
        "file:///C%3a/Proj/Src/a.py",
    ]
    keys = {path_key(to_path(uri, windows=windows) or "", windows=windows) for uri in spellings}
    assert keys == {"c:/Proj/Src/a.py"}
    other_case = path_key(to_path("file:///c:/proj/Src/a.py", windows=windows) or "", windows=windows)
    assert other_case not in keys


def test_within_is_by_whole_names() -> None:
    assert is_within("/ws/a.py", "/ws")
    assert is_within("/ws/a.py", "/")
    assert not is_within("/ws2/a.py", "/ws")
    assert not is_within("/ws", "/ws")


def test_children_keep_the_spelling_of_their_folder() -> None:
    assert child_uri("file:///c%3A/Proj/", "a b/c#.py") == "file:///c%3A/Proj/a%20b/c%23.py"
