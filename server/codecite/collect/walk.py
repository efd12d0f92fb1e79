"""One walk over the work tree, or over a part of it, and what it learns on the way.

In a git repository the files that are taken and those that are refused, together, are exactly what
`git ls-files --cached --others --exclude-standard` lists, apart from files that are in the index but no longer on
disk. What git ignores is left out without a word. Outside a repository the same rules hold, with whatever ignore
files the tree has.
"""

import errno
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from codecite.collect.ignore import IgnoreRules
from codecite.collect.names import MARKERS, refuse_name, tool_folder
from codecite.model.files import FileStamp, Refusal, folder_of
from codecite.ports import DirEntry, Disk, IgnoreFile

IGNORE_FILE = ".gitignore"
IGNORE_FILE_LIMIT = 1 << 20  # bytes of an ignore file that are read
REPOSITORY = ".git"
_REPOSITORY_PARTS = {
    "HEAD",
    "objects",
    "refs",
}  # what git itself asks of a folder to take it for a repository
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}  # says nothing of the file or folder asked for
_KINDS = {
    "symlink": ("symlink", "links are not followed"),
    "other": ("special", "not a regular file"),
}


@dataclass(frozen=True, slots=True)
class ScanRules:
    """What the settings say of which files to take.

    `excludes` are patterns in the syntax of .gitignore, anchored at the workspace; one that begins with `!` also
    brings back a folder that is left out by default, such as `!node_modules`. `fold_case` compares ignore rules
    without case, as git does where file systems do.
    """

    max_file_bytes: int = 1_048_576
    excludes: tuple[str, ...] = ()
    fold_case: bool = False


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory to be listed, and what holds in it."""

    path: str
    rules: IgnoreRules  # of the repository it belongs to
    only_tracked: bool = False  # it is ignored, but holds files that are in git's index
    is_top: bool = False  # it is where a repository begins

    def inside(self, name: str) -> str:
        """Return the path of a name in this directory."""
        return f"{self.path}/{name}" if self.path else name


@dataclass(frozen=True, slots=True)
class Around:
    """What git says of the tree as a whole."""

    in_repository: bool = False
    outer: tuple[IgnoreFile, ...] = ()
    submodules: frozenset[str] = frozenset()
    tracked: frozenset[str] = frozenset()  # in git's index though ignored


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk learned of the tree beside its files: which folders count, and by which rules."""

    folders: Mapping[str, Folder]
    around: Around
    shut: frozenset[str] = frozenset()  # folders that were left out for the `.git` in them

    @property
    def watched(self) -> AbstractSet[str]:
        """The folders in which a change may matter."""
        return self.folders.keys() | self.shut

    def concerns(self, path: str) -> bool:
        """Say whether a change at a path may change what the next scan sees, so that a watcher can drop the rest.

        It cannot if the path is ignored, is a repository's own, or is in a directory that was not walked. Errs on the
        side of True.
        """
        if path in self.folders:
            return True
        directory, _, name = path.rpartition("/")
        folder = self.folders.get(directory)
        if name.lower() == REPOSITORY:
            return folder is not None or directory in self.shut
        if folder is None:
            return False
        return (
            name == IGNORE_FILE or path in self.around.tracked or not folder.rules.verdict(path, is_dir=False)
        )

    def ignores(self, path: str) -> bool:
        """Say whether git's rules leave a file out, be it there or not."""
        above = folder_of(path)
        while above and above not in self.folders:
            above = folder_of(above)
        folder = self.folders.get(above)
        ignored = folder is not None and folder.rules.ignored(path, is_dir=False)
        return ignored and path not in self.around.tracked


@dataclass(frozen=True, slots=True)
class Scan:
    r"""What a walk saw: files to index and what it refused, each in order of paths, each path once.

    A refused directory stands for all that is in it; its path ends in "/", and is "./" for the workspace itself. A
    name that is not UTF-8 is written with its odd bytes as `\xNN`. `folders` are those that were listed or found
    gone, None for the whole tree: what is known directly in one of them and was not seen is gone.
    """

    files: list[FileStamp]
    refusals: list[Refusal]
    folders: frozenset[str] | None = None
    walked: Walked = field(default_factory=lambda: Walked({}, Around()), compare=False, repr=False)


class RulesChangedError(Exception):
    """An ignore file is not what the last walk read: what it said of other folders may be wrong by now."""


class Walk:
    """One walk, over all of the tree or a part of it; `last` is what is known from the one before."""

    def __init__(
        self,
        disk: Disk,
        rules: ScanRules,
        around: Around,
        entering: Callable[[str], None],
        last: Walked,
    ) -> None:
        self._disk = disk
        self._limit = rules.max_file_bytes
        self._fold_case = rules.fold_case
        self._excludes = IgnoreRules(fold_case=rules.fold_case)
        self._excludes.add("", "\n".join(rules.excludes).encode("utf-8", "surrogateescape"))
        self._around = around
        self._entering = entering
        self._leading = {above for path in around.tracked | around.submodules for above in _ancestors(path)}
        self._files: list[FileStamp] = []
        self._refusals: list[Refusal] = []
        self._folders = dict(last.folders)
        self._shut_before = last.shut
        self._shut: set[str] = set()
        self._listed: set[str] = set()
        self._gone: set[str] = set()

    def down(self, folders: list[Folder]) -> None:
        """Walk these folders and all below them."""
        while folders:
            folder = folders.pop()
            entries = self._list(folder)
            if entries is not None:
                folders += self._visit(folder, entries)

    def again(self, path: str) -> None:
        """List a folder of the last walk once more, and walk what is new in it; one that went is passed over."""
        folder = self._folders.get(path)
        if folder is None:
            return
        entries = self._list(folder)
        inner = list(self._visit(folder, entries, before=folder)) if entries is not None else []
        if path not in self._listed:  # it is not there, or is left out from now on
            for one in [path, *self._below(path)]:
                self._forget(one)
            return
        stays = {one.path for one in inner}
        start = len(path) + 1 if path else 0
        for one in self._below(path):
            end = one.find("/", start)
            if one[: end if end != -1 else None] not in stays:
                self._forget(one)
        self.down([one for one in inner if one.path not in self._folders])

    def _below(self, path: str) -> list[str]:
        prefix = f"{path}/" if path else ""
        return [one for one in self._folders if one.startswith(prefix) and one != path]

    def _forget(self, path: str) -> None:
        del self._folders[path]
        self._gone.add(path)

    def seen(self, *, whole: bool) -> Scan:
        """Return what was seen."""
        self._files.sort(key=lambda stamp: stamp.path)
        self._refusals.sort(key=lambda refusal: refusal.path)
        looked_at = self._listed | self._gone
        shut = self._shut | {path for path in self._shut_before if folder_of(path) not in looked_at}
        walked = Walked(self._folders, self._around, frozenset(shut))
        return Scan(self._files, self._refusals, None if whole else frozenset(looked_at), walked)

    def _list(self, folder: Folder) -> list[DirEntry] | None:
        """List a folder; None where it is gone, or is refused because it cannot be listed."""
        self._entering(folder.path)
        try:
            return self._disk.entries(folder.path)
        except OSError as error:
            if not folder.path or error.errno in _EXHAUSTED:
                raise
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                self._refuse(folder.path + "/", "unreadable", error.strerror or str(error))
            return None

    def _visit(
        self, folder: Folder, entries: list[DirEntry], before: Folder | None = None
    ) -> Iterator[Folder]:
        """Take or refuse the files of a directory and yield the directories in it that are to be walked.

        `before` is the folder itself where the last walk was in it; its ignore file must then be as it was.
        """
        named = {entry.name: entry for entry in entries}
        if _REPOSITORY_PARTS.issubset(named) and named["objects"].kind == named["refs"].kind == "directory":
            self._refuse(
                f"{folder.path or '.'}/", "bare-repository", "git's own files: there is no work tree here"
            )
            return
        if not folder.is_top and self._begins_repository(folder, named.get(REPOSITORY)):
            if self._around.in_repository or named[REPOSITORY].kind != "directory":
                self._refuse(folder.path + "/", "nested-repository", "a repository or work tree of its own")
                self._shut.add(folder.path)
                return
            # Outside a repository there is nothing that this one could be a copy of.
            folder = Folder(folder.path, self._rules_of_its_own(folder.path), is_top=True)
        if (what := self._marked(folder, named)) and not self._brought_back(folder.path):
            self._refuse(folder.path + "/", "excluded", what)
            return
        self._folders[folder.path] = folder
        self._listed.add(folder.path)
        if self._take_rules(folder, named.get(IGNORE_FILE)) and before is not None:
            raise RulesChangedError
        for entry in entries:
            if entry.name.lower() == REPOSITORY:
                continue
            path = folder.inside(entry.name)
            ignored = folder.only_tracked or bool(
                folder.rules.verdict(path, is_dir=entry.kind == "directory")
            )
            if entry.kind == "directory":
                yield from self._enter(folder, path, ignored=ignored)
            elif not ignored or path in self._around.tracked:
                self._take(path, entry)

    def _take_rules(self, folder: Folder, file: DirEntry | None) -> bool:
        """Read a folder's ignore file, if there is one; say whether the rules are other ones than before."""
        if folder.only_tracked:
            return False
        is_there = file is not None and file.kind == "file"
        data = self._read(folder.inside(IGNORE_FILE), IGNORE_FILE_LIMIT) if is_there else b""
        return folder.rules.add(folder.path, data)

    def _enter(self, folder: Folder, path: str, *, ignored: bool) -> Iterator[Folder]:
        """Yield the directory at `path` if it is to be walked."""
        is_submodule = path in self._around.submodules
        if ignored and not is_submodule and path not in self._leading:
            return
        if _odd_name(path):
            self._refuse(path + "/", "unreadable", "its name is not UTF-8")
            return
        wanted = self._excludes.verdict(path, is_dir=True)
        why = "the settings exclude it" if wanted else tool_folder(path.rpartition("/")[2])
        if why and wanted is not False:
            self._refuse(path + "/", "excluded", why)
        elif is_submodule:
            yield Folder(path, self._rules_of_its_own(path), is_top=True)
        else:
            yield Folder(path, folder.rules, only_tracked=ignored)

    def _take(self, path: str, entry: DirEntry) -> None:
        if _odd_name(path):
            self._refuse(path, "unreadable", "its name is not UTF-8")
        elif entry.kind in _KINDS:
            self._refuse(path, *_KINDS[entry.kind])
        elif self._excludes.verdict(path, is_dir=False):
            self._refuse(path, "excluded", "the settings exclude it")
        elif refusal := refuse_name(path):
            self._refusals.append(refusal)
        elif entry.size > self._limit:
            self._refuse(path, "too-large", f"{entry.size:,} bytes, the limit is {self._limit:,}")
        else:
            self._files.append(FileStamp(path, entry.size, entry.mtime_ns, entry.ctime_ns))

    def _refuse(self, path: str, reason: str, detail: str) -> None:
        if _odd_name(path):
            path = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        self._refusals.append(Refusal(path, reason, detail))

    def _rules_of_its_own(self, path: str) -> IgnoreRules:
        """Return rules for a repository inside the workspace: only the user's own reach it from outside."""
        return IgnoreRules(
            path, (_at_top(file) for file in self._around.outer if file.everywhere), fold_case=self._fold_case
        )

    def _begins_repository(self, folder: Folder, entry: DirEntry | None) -> bool:
        """Say whether a directory is the top of a repository, as git sees it; a `.git` may also be something else."""
        if entry is None:
            return False
        path = folder.inside(entry.name)
        if entry.kind == "file":
            return self._read(path, 7) == b"gitdir:"
        if entry.kind != "directory":
            return entry.kind == "symlink"
        try:
            return _REPOSITORY_PARTS.issubset(inner.name for inner in self._disk.entries(path))
        except OSError as error:
            if error.errno in _EXHAUSTED:
                raise
            return True  # git cannot look either, and then keeps out

    def _marked(self, folder: Folder, named: dict[str, DirEntry]) -> str:
        """Say what a marker file in a directory makes of it; "" without one. The workspace itself is never left out."""
        if not folder.path:
            return ""
        for name, (beginning, what) in MARKERS.items():
            if name in named and self._read(folder.inside(name), len(beginning)).startswith(beginning):
                return what
        return ""

    def _brought_back(self, path: str) -> bool:
        return self._excludes.verdict(path, is_dir=True) is False

    def _read(self, path: str, length: int) -> bytes:
        """Return the beginning of a file; empty where it cannot be read, which the walk then says of it by itself."""
        try:
            return self._disk.read(path, length)[1][:length]
        except OSError as error:
            if error.errno in _EXHAUSTED:
                raise
            return b""


def _at_top(file: IgnoreFile) -> IgnoreFile:
    return IgnoreFile("", file.text, everywhere=True)


def _ancestors(path: str) -> Iterator[str]:
    """Yield every directory above a path, the nearest first, the workspace itself left out."""
    slash = path.rfind("/")
    while slash > 0:
        yield path[:slash]
        slash = path.rfind("/", 0, slash)


def _odd_name(path: str) -> bool:
    """Say whether a path has bytes that are not UTF-8 (or, on Windows, lone surrogates): no store can hold it."""
    return not path.isascii() and any("\ud800" <= char <= "\udfff" for char in path)
