"""Git's ignore rules, as git itself reads them.

Rules come in files: one per directory, and a few from outside. Within a file the last rule that matches decides; a
file in a deeper directory overrules all shallower ones; and nothing below an ignored directory can come back, since
git never looks inside. (gitignore(5); the corners that the manual leaves open were settled by comparing with git.)

Each file becomes two regular expressions over bytes, because git counts bytes: one for rules about a base name, one
for rules about a path. The rules stand in them last first, each in a group of its own, so that the first group to
match is the last rule to match. Directories are told from files by a NUL after the name, which no name can hold.
"""

import re
from collections.abc import Iterable

from codecite.ports import IgnoreFile

_DIRECTORY_MARK = b"\0"
_UTF8_MARK = b"\xef\xbb\xbf"
_TRAILING_SPACES = re.compile(rb"((?:\\.|[^\\])*?) *\Z", re.DOTALL)
_LITERAL_HEAD = re.compile(rb"[^*?\[\\]*")

_POSIX_CLASSES = {
    b"alnum": rb"[0-9A-Za-z]",
    b"alpha": rb"[A-Za-z]",
    b"blank": rb"[ \t]",
    b"cntrl": rb"[\x00-\x1f\x7f]",
    b"digit": rb"[0-9]",
    b"graph": rb"[!-~]",
    b"lower": rb"[a-z]",
    b"print": rb"[ -~]",
    b"punct": rb"[!-/:-@\[-`{-~]",
    b"space": rb"[ \t\n\r]",
    b"upper": rb"[A-Z]",
    b"xdigit": rb"[0-9A-Fa-f]",
}
_POSIX_CLASS = re.compile(rb"\[:([^\]]*):\]")
_EVERY_BYTE = bytes(range(256))


class _NeverMatchesError(Exception):
    """The pattern is malformed in a way that git takes as matching nothing."""


def _bracket(pattern: bytes, start: int) -> tuple[bytes, int]:
    """Translate the bracket expression that opens at `start`; return it and the offset after it."""
    at = start + 1
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    previous: int | None = None  # what a range may start from
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        if at >= len(pattern):
            raise _NeverMatchesError
        if (
            pattern[at : at + 1] == b"-"
            and previous is not None
            and pattern[at + 1 : at + 2] not in (b"", b"]")
        ):
            last, at = _member(pattern, at + 1)
            members.update(range(previous, last + 1))
            previous = None
        elif posix := _POSIX_CLASS.match(pattern, at):
            if posix[1] not in _POSIX_CLASSES:
                raise _NeverMatchesError
            members.update(*re.findall(_POSIX_CLASSES[posix[1]], _EVERY_BYTE))
            previous, at = None, posix.end()
        else:
            previous, at = _member(pattern, at)
            members.add(previous)
    if negated:
        members = set(range(256)) - members
    members -= set(b"/" + _DIRECTORY_MARK)
    if not members:
        raise _NeverMatchesError
    return b"[" + b"".join(b"\\x%02x" % value for value in sorted(members)) + b"]", at + 1


def _member(pattern: bytes, at: int) -> tuple[int, int]:
    """Return one member of a bracket expression, unescaped, and the offset after it."""
    if pattern[at : at + 1] == b"\\":
        at += 1
    if at >= len(pattern):
        raise _NeverMatchesError
    return pattern[at], at + 1


def _translate(pattern: bytes) -> bytes:
    """Translate a glob to a regular expression; `**` counts as whole at the very start and after a slash.

    All that stands between two stars of one path component has a fixed length, so the first place where it fits is
    as good as any later one: it becomes an atomic group, and likewise what stands between two `**`. That keeps
    matching linear where a hostile pattern would otherwise backtrack for ever.
    """
    out: list[bytes] = []
    star: int | None = None  # where in `out` the last star of this component stands
    tree: int | None = None  # where in `out` the last `**/` stands
    at = 0
    while at < len(pattern):
        char = pattern[at : at + 1]
        if char == b"*":
            end = at + len(pattern[at:]) - len(pattern[at:].lstrip(b"*"))
            whole = end - at > 1 and (at == 0 or pattern[at - 1 : at] == b"/")
            slash = re.compile(rb"\\?/").match(pattern, end)
            if whole and end == len(pattern):
                out.append(rb"[^\0]*")
                at = end
            elif whole and slash:
                if tree is not None:
                    out[tree:] = [b"(?>" + b"".join(out[tree:]) + b")"]
                tree = len(out)
                # An escaped slash is not skipped together with the stars: at least one component must be there.
                out.append(rb"(?:[^/\0]*/)*?" if slash.end() - end == 1 else rb"(?:[^/\0]*/)+?")
                at = slash.end()
            else:
                if star is not None:
                    out[star:] = [b"(?>" + b"".join(out[star:]) + b")"]
                star = len(out)
                out.append(rb"[^/\0]*?")
                at = end
        elif char == b"?":
            out.append(rb"[^/\0]")
            at += 1
        elif char == b"[":
            bracket, at = _bracket(pattern, at)
            out.append(bracket)
        else:
            value, at = _member(pattern, at)
            out.append(re.escape(bytes([value])))
            if value == ord("/"):
                star = None
    return b"".join(out)


class _Rules:
    """The rules of one file."""

    __slots__ = ("_names", "_names_order", "_paths", "_paths_order")

    def __init__(self, text: bytes, *, fold_case: bool) -> None:
        names: list[
            tuple[int, bytes]
        ] = []  # (order, regular expression); a negative rule's order is negative
        paths: list[tuple[int, bytes]] = []
        for order, line in enumerate(text.removeprefix(_UTF8_MARK).split(b"\n"), start=1):
            pattern = _pattern(line)
            if not pattern:
                continue
            negative = pattern.startswith(b"!")
            pattern = pattern[negative:]
            directory_only = pattern.endswith(b"/")
            pattern = pattern[: len(pattern) - directory_only]
            by_path = b"/" in pattern
            try:
                if by_path:
                    pattern = pattern.removeprefix(b"/")
                    # git compares the literal beginning by itself and globs only the rest, so that a `**` there
                    # counts as whole whatever comes before it.
                    head = _LITERAL_HEAD.match(pattern)
                    cut = head.end() if head else 0
                    source = re.escape(pattern[:cut]) + _translate(pattern[cut:])
                else:
                    source = _translate(pattern)
            except _NeverMatchesError:
                continue
            source = b"(" + source + (_DIRECTORY_MARK if directory_only else _DIRECTORY_MARK + b"?") + b")"
            (paths if by_path else names).append((-order if negative else order, source))
        self._names, self._names_order = _any_of(names, fold_case=fold_case)
        self._paths, self._paths_order = _any_of(paths, fold_case=fold_case)

    def __bool__(self) -> bool:
        return self._names is not None or self._paths is not None

    def verdict(self, name: bytes, path: bytes) -> bool | None:
        """Say whether the last matching rule ignores (True) or re-includes (False); None where none matches."""
        by_name = by_path = 0
        if self._names and (match := self._names.fullmatch(name)):
            by_name = self._names_order[match.lastindex or 0]
        if self._paths and (match := self._paths.fullmatch(path)):
            by_path = self._paths_order[match.lastindex or 0]
        last = max(by_name, by_path, key=abs)
        return last > 0 if last else None


def _pattern(line: bytes) -> bytes:
    """Return the pattern that a line holds, "" for none: comments, blank lines, unescaped trailing spaces go."""
    if line.startswith(b"#"):
        return b""
    line = line.removesuffix(b"\r").partition(b"\0")[0]
    trimmed = _TRAILING_SPACES.match(line)
    return trimmed[1] if trimmed else line


def _any_of(rules: list[tuple[int, bytes]], *, fold_case: bool) -> tuple[re.Pattern[bytes] | None, list[int]]:
    """Join rules, last first, to one expression; return it and the rules' orders by the number of their group."""
    if not rules:
        return None, []
    flags = re.DOTALL | (re.IGNORECASE if fold_case else 0)
    last_first = rules[::-1]
    joined = re.compile(b"|".join(source for _, source in last_first), flags)
    return joined, [0, *(order for order, _ in last_first)]


def _encode(path: str) -> bytes:
    """Return a path's bytes as they are on disk."""
    return path.encode("utf-8", "surrogateescape")


class IgnoreRules:
    """The rules of one repository, filled directory by directory as a walk goes down.

    `root` is the repository's top, or the workspace inside it, as a path relative to the workspace; `outer` are the
    rules from outside, weakest first, anchored as seen from `root`. All paths are relative to the workspace. With
    `fold_case` letters match without case, as git does where `core.ignoreCase` is set.
    """

    def __init__(self, root: str = "", outer: Iterable[IgnoreFile] = (), *, fold_case: bool = False) -> None:
        self._root = _encode(root)
        self._fold_case = fold_case
        self._texts: dict[bytes, bytes] = {}
        self._levels: dict[bytes, _Rules] = {}
        self._reaching: tuple[bytes | None, list[tuple[bytes, int, _Rules]]] = (None, [])
        self._outer = [
            (_encode(file.below + "/" if file.below else ""), _Rules(_encode(file.text), fold_case=fold_case))
            for file in reversed(list(outer))
        ]

    def add(self, directory: str, text: bytes) -> bool:
        """Take in the ignore file of a directory, b"" for none; say whether that changes what held there before.

        Only for directories that are not ignored themselves.
        """
        key = _encode(directory)
        if self._texts.get(key, b"") == text:
            return False
        self._texts[key] = text
        self._levels.pop(key, None)
        if rules := _Rules(text, fold_case=self._fold_case):
            self._levels[key] = rules
        self._reaching = (None, [])
        return True

    def verdict(self, path: str, *, is_dir: bool) -> bool | None:
        """Say what the rules hold of a path whose directories are not ignored: True, False (re-included), None."""
        whole = _encode(path)
        directory, _, name = whole.rpartition(b"/")
        reaching = self._reaching  # once: a watcher asks while a walk goes on
        if reaching[0] != directory:  # a walk asks for all names of a directory in a row
            reaching = self._reaching = (directory, self._strongest_first(directory))
        mark = _DIRECTORY_MARK if is_dir else b""
        for below, start, rules in reaching[1]:
            verdict = rules.verdict(name + mark, below + whole[start:] + mark)
            if verdict is not None:
                return verdict
        return None

    def _strongest_first(self, directory: bytes) -> list[tuple[bytes, int, _Rules]]:
        """Return the rules that reach into a directory, each with what takes a path to where it is anchored.

        That is a prefix to put before the path and a number of bytes to cut from it first.
        """
        found = []
        while True:
            if directory in self._levels:
                found.append((b"", len(directory) + 1 if directory else 0, self._levels[directory]))
            if directory == self._root:
                break
            directory = directory.rpartition(b"/")[0]
        start = len(self._root) + 1 if self._root else 0
        return found + [(below, start, rules) for below, rules in self._outer]

    def ignored(self, path: str, *, is_dir: bool) -> bool:
        """Say whether git would leave a path out, because of itself or of a directory that it is in."""
        start = len(self._root.decode("utf-8", "surrogateescape"))
        slash = path.find("/", start + 1)
        while slash != -1:
            if self.verdict(path[:slash], is_dir=True):
                return True
            slash = path.find("/", slash + 1)
        return bool(self.verdict(path, is_dir=is_dir))
