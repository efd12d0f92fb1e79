"""The walk over the work tree: which files are there to be indexed, and which are not and why.

In a git repository the files that are taken and those that are refused, together, are exactly what
`git ls-files --cached --others --exclude-standard` lists, apart from files that are in the index but no longer on
disk. What git ignores is left out without a word. Outside a repository the same rules hold, with whatever ignore
files the tree has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from codecite.collect.ignore import IgnoreRules
from codecite.collect.names import MARKERS, refuse_name, tool_folder
from codecite.model.files import FileStamp, Refusal
from codecite.ports import DirEntry, Disk, Git, IgnoreFile

IGNORE_FILE = ".gitignore"
IGNORE_FILE_LIMIT = 1 << 20  # bytes of an ignore file that are read
_REPOSITORY = ".git"
_REPOSITORY_PARTS = {
    "HEAD",
    "objects",
    "refs",
}  # what git itself asks of a folder to take it for a repository
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
class Scan:
    r"""What a walk saw: files to index and what it refused, each in order of paths, each path once.

    A refused directory stands for all that is in it; its path ends in "/", and is "./" for the workspace itself. A
    name that is not UTF-8 is written with its odd bytes as `\xNN`.
    """

    files: list[FileStamp]
    refusals: list[Refusal]
    folders: Mapping[str, IgnoreRules] = field(
        default_factory=dict, compare=False, repr=False
    )  # walked: their rules
    tracked: frozenset[str] = field(
        default=frozenset(), compare=False, repr=False
    )  # in git's index though ignored

    def concerns(self, path: str, *, is_dir: bool = False) -> bool:
        """Say whether a change at a path may change what the next scan sees, so that a watcher can drop the rest.

        It cannot if the path is ignored, is a repository's own, or is in a directory that was not walked. Errs on the
        side of True.
        """
        directory, _, name = path.rpartition("/")
        rules = self.folders.get(directory)
        if rules is None or name.lower() == _REPOSITORY:
            return False
        return name == IGNORE_FILE or path in self.tracked or not rules.verdict(path, is_dir=is_dir)


def scan(disk: Disk, git: Git, rules: ScanRules) -> Scan:
    """Walk the work tree; raise OSError only where its root cannot be listed.

    A directory below that cannot be listed is refused as "unreadable". Whatever vanishes during the walk is left out.
    """
    return _Walk(disk, git, rules).run()


@dataclass(frozen=True, slots=True)
class _Folder:
    """A directory still to be listed, and what holds in it."""

    path: str
    rules: IgnoreRules  # of the repository it belongs to
    only_tracked: bool = False  # it is ignored, but holds files that are in git's index
    is_top: bool = False  # it is where a repository begins

    def inside(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name


class _Walk:
    def __init__(self, disk: Disk, git: Git, rules: ScanRules) -> None:
        self._disk = disk
        self._limit = rules.max_file_bytes
        self._fold_case = rules.fold_case
        self._excludes = IgnoreRules(fold_case=rules.fold_case)
        self._excludes.add("", "\n".join(rules.excludes).encode("utf-8", "surrogateescape"))
        self._in_repository = git.in_work_tree()
        self._outer = git.outer_ignore_files()
        self._submodules = git.submodules()
        self._tracked = git.tracked_although_ignored()
        self._leading = {above for path in self._tracked | self._submodules for above in _ancestors(path)}
        self._files: list[FileStamp] = []
        self._refusals: list[Refusal] = []
        self._walked: dict[str, IgnoreRules] = {}

    def run(self) -> Scan:
        top = IgnoreRules(outer=self._outer, fold_case=self._fold_case)
        folders = [_Folder("", top, is_top=True)]
        while folders:
            folder = folders.pop()
            try:
                entries = self._disk.entries(folder.path)
            except OSError as error:
                if not folder.path:
                    raise
                if not isinstance(
                    error, FileNotFoundError | NotADirectoryError
                ):  # gone since its parent was listed
                    self._refuse(folder.path + "/", "unreadable", error.strerror or str(error))
                continue
            folders += self._visit(folder, entries)
        self._files.sort(key=lambda stamp: stamp.path)
        self._refusals.sort(key=lambda refusal: refusal.path)
        return Scan(self._files, self._refusals, self._walked, self._tracked)

    def _visit(self, folder: _Folder, entries: list[DirEntry]) -> Iterator[_Folder]:
        """Take or refuse the files of a directory and yield the directories in it that are to be walked."""
        named = {entry.name: entry for entry in entries}
        if _REPOSITORY_PARTS.issubset(named) and named["objects"].kind == named["refs"].kind == "directory":
            self._refuse(
                f"{folder.path or '.'}/", "bare-repository", "git's own files: there is no work tree here"
            )
            return
        if not folder.is_top and self._begins_repository(folder, named.get(_REPOSITORY)):
            if self._in_repository or named[_REPOSITORY].kind != "directory":
                self._refuse(folder.path + "/", "nested-repository", "a repository or work tree of its own")
                return
            # Outside a repository there is nothing that this one could be a copy of.
            folder = _Folder(folder.path, self._rules_of_its_own(folder.path), is_top=True)
        if (what := self._marked(folder, named)) and not self._brought_back(folder.path):
            self._refuse(folder.path + "/", "excluded", what)
            return
        self._walked[folder.path] = folder.rules
        if not folder.only_tracked and IGNORE_FILE in named and named[IGNORE_FILE].kind == "file":
            data = self._read(folder.inside(IGNORE_FILE), IGNORE_FILE_LIMIT)
            folder.rules.add(folder.path, data)
        for entry in entries:
            if entry.name.lower() == _REPOSITORY:
                continue
            path = folder.inside(entry.name)
            ignored = folder.only_tracked or bool(
                folder.rules.verdict(path, is_dir=entry.kind == "directory")
            )
            if entry.kind == "directory":
                yield from self._enter(folder, path, ignored=ignored)
            elif not ignored or path in self._tracked:
                self._take(path, entry)

    def _enter(self, folder: _Folder, path: str, *, ignored: bool) -> Iterator[_Folder]:
        """Yield the directory at `path` if it is to be walked."""
        is_submodule = path in self._submodules
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
            yield _Folder(path, self._rules_of_its_own(path), is_top=True)
        else:
            yield _Folder(path, folder.rules, only_tracked=ignored)

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
            self._files.append(FileStamp(path, entry.size, entry.mtime_ns))

    def _refuse(self, path: str, reason: str, detail: str) -> None:
        if _odd_name(path):
            path = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        self._refusals.append(Refusal(path, reason, detail))

    def _rules_of_its_own(self, path: str) -> IgnoreRules:
        """Return rules for a repository inside the workspace: only the user's own reach it from outside."""
        return IgnoreRules(
            path, (_at_top(file) for file in self._outer if file.everywhere), fold_case=self._fold_case
        )

    def _begins_repository(self, folder: _Folder, entry: DirEntry | None) -> bool:
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
        except OSError:
            return True  # git cannot look either, and then keeps out

    def _marked(self, folder: _Folder, named: dict[str, DirEntry]) -> str:
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
        except OSError:
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
