"""Git, asked through its command.

The command and not a library, because it is the only reader that opens every repository its user can open: SHA-256,
sparse index, new format extensions, reftable. A repository is input that may be hostile, so everything in its
configuration that would run a program is switched off, environment that would point git elsewhere is dropped, and a
call that does not end is killed. Where git cannot be used the answers are empty and `problem` says why.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1, sha256
from pathlib import Path

from codecite.adapters.disk import WorkTree, read_outside
from codecite.model.errors import BadInput, Unavailable
from codecite.ports import IgnoreFile

TIMEOUT = 30.0  # seconds; an index of a million files is read in two
# Written by what changes the work tree and need not change HEAD or the index: a reset to HEAD, a stash and its return.
_LOGS = ("logs/HEAD", "logs/refs/stash", "refs/stash")
_STATE_FILES = ("HEAD", "index", *_LOGS, "packed-refs", "reftable/tables.list", "config", "info/exclude")
# What a repository is in the middle of, by the file or folder that git keeps meanwhile (wt-status.c of git).
_OPERATIONS = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase or am",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
IGNORE_FILE_LIMIT = 1 << 20  # bytes of an ignore file that are read
ARGUMENTS = 16_000  # characters of paths in one call; Windows takes 32,767 in all

_SAFE = (
    "--no-pager",
    "--no-optional-locks",
    "-c", "core.fsmonitor=false",
    "-c", "core.sshCommand=false",
    "-c", "core.quotePath=off",
    "-c", "diff.external=",
    "-c", "credential.helper=",
    "-c", "submodule.recurse=false",
)  # fmt: skip
_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
# What `git rev-parse --local-env-vars` lists, without the numbered GIT_CONFIG_ variables, which carry a user's own
# settings: inside a hook or an alias these point git at that one repository and index, wherever we mean to look.
_ELSEWHERE = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_DIR",
    "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE", "GIT_EXTERNAL_DIFF", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
}  # fmt: skip
_GITLINK = re.compile(rb"(?:\A|\0)160000 [^\t]*\t([^\0]*)")  # a submodule's line of `ls-files --stage -z`
# A file's line of `ls-files --stage -z` (mode, blob, stage, path) or of `ls-tree -z` (mode, type, blob, path).
_BLOB = re.compile(rb"(?:\A|\0)100\d{3} (?:blob )?([0-9a-f]+)(?: \d)?\t([^\0]*)")
if sys.platform == "win32":
    _NO_WINDOW = subprocess.CREATE_NO_WINDOW
else:
    _NO_WINDOW = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What a repository is in the middle of."""

    branch: str = ""  # "" where HEAD is detached
    operation: str = ""  # such as "rebase"
    unmerged: tuple[str, ...] = ()  # files of the workspace in conflict, in order of paths


class GitCommand:
    """The repository around a directory; implements `ports.Git`.

    `root` is the workspace; `executable` overrides the `git` found on the PATH; a call that takes longer than
    `timeout` seconds is killed. Nothing is kept between calls, so a repository that is made, mended or moved under a
    running program is seen.
    """

    def __init__(self, root: Path, executable: str | None = None, *, timeout: float = TIMEOUT) -> None:
        self._root = root
        self._timeout = timeout
        self._executable = executable or _find_git()

    def head(self) -> str | None:
        """Return the commit that HEAD names, in hexadecimal; None before the first commit or without a git."""
        answer = self._ask("rev-parse", "--verify", "--quiet", "HEAD")
        return (answer or b"").decode("ascii", "replace").strip() or None

    def tracked_although_ignored(self) -> frozenset[str]:
        """Return the files in the index, and in those of the submodules, that ignore rules would leave out."""
        found: set[str] = set()
        for folder in ["", *self._checked_out(self.submodules())]:
            answer = self._ask("ls-files", "-z", "--cached", "--ignored", "--exclude-standard", below=folder)
            found.update(folder + _decode(name) for name in (answer or b"").split(b"\0") if name)
        return frozenset(found)

    def submodules(self) -> frozenset[str]:
        """Return the paths of the submodules in the index, and of theirs."""
        found: set[str] = set()
        folders = [""]
        while folders:
            folder = folders.pop()
            answer = self._ask("ls-files", "-z", "--stage", below=folder)
            inner = {folder + _decode(name) for name in _GITLINK.findall(answer or b"")}
            folders += self._checked_out(inner - found)
            found |= inner
        return frozenset(found)

    def confirms(self, contents: Mapping[str, bytes]) -> frozenset[str]:
        """Return those of these files, by path in the workspace, whose bytes the index or HEAD holds for them.

        Held raw, or with LF for CRLF, which is how `core.autocrlf` checks files in; what other filters change is not
        recognised.
        """
        if not contents:
            return frozenset()
        folders = self._checked_out(self.submodules())
        within: dict[str, list[str]] = {}
        for path in contents:
            folder = max((folder for folder in folders if path.startswith(folder)), key=len, default="")
            within.setdefault(folder, []).append(path.removeprefix(folder))
        return frozenset(
            folder + path
            for folder, paths in within.items()
            for path, blob in self._blobs(folder, paths)
            if _is_blob(contents[folder + path], blob)
        )

    def _blobs(self, folder: str, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield (path, blob id) for these files of a repository: what its index says of them, then what HEAD says."""
        wanted = set(paths)
        for some in _by_length(paths, ARGUMENTS):
            for question in (("ls-files", "--stage"), ("ls-tree", "HEAD")):
                answer = self._ask(
                    "--literal-pathspecs", *question[:1], "-z", *question[1:], "--", *some, below=folder
                )
                for blob, name in _BLOB.findall(answer or b""):
                    if (path := _decode(name)) in wanted:
                        yield path, blob.decode()

    def in_work_tree(self) -> bool:
        """Say whether the workspace lies in the work tree of a repository that git can use."""
        return self._place() is not None

    def outer_ignore_files(self) -> list[IgnoreFile]:
        """Return the user's own excludes, `info/exclude` and the ignore files of the folders above, in this order."""
        place = self._place()
        if place is None:
            return []
        below, exclude_file = place
        found = []
        if text := _read_rules(self._user_excludes()):
            found.append(IgnoreFile(below, text, everywhere=True))
        if text := _read_rules(exclude_file):
            found.append(IgnoreFile(below, text))
        names = below.split("/") if below else []
        tree = WorkTree(next(iter(self._folders_above(below)), self._root))
        for depth in range(len(names)):
            path = "/".join([*names[:depth], ".gitignore"])
            try:
                _, data = tree.read(path, IGNORE_FILE_LIMIT)
            except OSError:  # there is none, or it is a link, which git does not follow either
                continue
            found.append(IgnoreFile("/".join(names[depth:]), _decode(data)))
        return found

    def state_files(self) -> tuple[Path, ...]:
        """Return the files and folders of which one is written when what `fingerprint` names may have changed.

        Those of submodules and the user's own excludes are among them; without a repository, those that would begin
        one. The user's configuration is not: that it names other excludes is seen with the next look at everything.
        """
        place = self._place()
        if place is None:
            return tuple(folder / ".git" for folder in (self._root, *self._root.parents))
        found = []
        for folder in ["", *self._checked_out(self.submodules())]:
            # The branch itself is written last of all, after the log that names the new commit.
            branch = _decode(self._ask("symbolic-ref", "--quiet", "HEAD", below=folder) or b"").strip()
            found += self._git_paths(*_STATE_FILES, *filter(None, [branch]), below=folder)
        if user := self._user_excludes():
            found.append(user)
        return (*found, *(top / ".gitignore" for top in self._folders_above(place[0])))

    def fingerprint(self) -> str:
        """Name what HEADs and indexes hold, how often they were moved, and the rules from outside.

        What git merely notes of sizes and times in its index does not count.
        """
        state = sha256()
        for folder in ["", *self._checked_out(self.submodules())]:
            state.update(self._ask("ls-files", "-z", "--stage", below=folder) or b"")
            state.update(repr([_written(log) for log in self._git_paths(*_LOGS, below=folder)]).encode())
        state.update(repr(self.outer_ignore_files()).encode("utf-8", "surrogateescape"))
        return f"{self.head()} {state.hexdigest()}"

    def standing(self) -> Standing:
        """Return the branch, what is under way, and which files are in conflict; all empty without a work tree."""
        if self._place() is None:
            return Standing()
        branch = self._ask("symbolic-ref", "--quiet", "--short", "HEAD") or b""
        under_way = zip(self._git_paths(*_OPERATIONS), _OPERATIONS.values(), strict=False)
        unmerged = self._ask("ls-files", "-z", "--unmerged") or b""
        return Standing(
            branch=_decode(branch.removesuffix(b"\n")),
            operation=next((name for path, name in under_way if path.exists()), ""),
            unmerged=tuple(
                dict.fromkeys(_decode(line.partition(b"\t")[2]) for line in unmerged.split(b"\0") if line)
            ),
        )

    def _git_paths(self, *names: str, below: str = "") -> list[Path]:
        """Return where a repository keeps these of its own files, there or not; none without a repository."""
        asked = [part for name in names for part in ("--git-path", name)]
        answer = self._ask("rev-parse", *asked, below=below)
        return [self._root / below / _decode(line) for line in (answer or b"").split(b"\n") if line]

    def changed_since(self, commit: str) -> frozenset[str]:
        """Return the paths of the workspace that differ between a commit and HEAD, the whole range at once.

        Raises BadInput where the commit is not known here or there is no repository, Unavailable where git cannot use
        the one that there is.
        """
        if not self.in_work_tree():
            if problem := self.problem():
                raise Unavailable(f"commits cannot be compared: {problem}", "do without --since")
            raise BadInput(f"{self._root} is in no git repository", "do without --since")
        named = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
        if named is None:
            raise BadInput(
                f"{commit} is not a commit of this repository",
                "name one that `git rev-parse` knows, such as HEAD~3",
            )
        differing = self._ask(
            "diff-tree",
            "-r",
            "-z",
            "--name-only",
            "--no-renames",
            "--relative",
            named.decode().strip(),
            "HEAD",
        )
        return frozenset(_decode(name) for name in (differing or b"").split(b"\0") if name)

    def hook_folder(self) -> Path | None:
        """Return the folder whose hooks git runs for this work tree, there or not yet; None outside of a work tree.

        It is the repository's, which linked work trees share, or the one that `core.hooksPath` names; links on the
        way to it are resolved.
        """
        top = self._ask("rev-parse", "--show-toplevel")
        if not top:
            return None
        # Asked from the top, where git runs hooks: a relative `core.hooksPath` starts there.
        folder = Path(_decode(top.removesuffix(b"\n")))
        answer = self._ask("rev-parse", "--git-path", "hooks", below=str(folder), overrides=())
        return (folder / _decode(answer.removesuffix(b"\n"))).resolve() if answer else None

    def problem(self) -> str:
        """Say in one line why git cannot be used here; "" when it can, and where there is no repository at all."""
        if self._executable is None:
            return "git was not found on the PATH"
        try:
            done = self._run("rev-parse", "--is-inside-work-tree")
        except (OSError, subprocess.SubprocessError) as error:
            return f"git cannot be run: {error}"
        if done.returncode == 0:
            return "" if done.stdout.strip() == b"true" else "a bare repository has no work tree"
        message = " ".join(done.stderr.decode("utf-8", "replace").split()).removeprefix("fatal: ")
        if "not a git repository" not in message:
            return message or f"git failed with status {done.returncode}"
        real = Path(os.path.realpath(self._root))
        broken = [folder for folder in (real, *real.parents) if os.path.lexists(folder / ".git")]
        return f"{broken[0] / '.git'} is not a repository that git can read" if broken else ""

    def _run(
        self, *arguments: str, below: str = "", overrides: tuple[str, ...] = _NO_HOOKS
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git in the workspace, or in a folder of it, with nothing on standard input and every hook off.

        Only for commands that never look into the files of the work tree: to compare those with the index, git runs
        the filters that the repository's configuration names, and nothing switches these off.
        Raises OSError where git cannot be started and subprocess.TimeoutExpired when it took too long and was killed.
        """
        if self._executable is None:
            raise FileNotFoundError("git was not found on the PATH")
        return subprocess.run(
            [self._executable, *_SAFE, *overrides, *arguments],
            cwd=self._root / below,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=self._timeout,
            check=False,
            creationflags=_NO_WINDOW,
        )

    def _checked_out(self, submodules: Iterable[str]) -> list[str]:
        """Return the folders, each ending in a slash, of the submodules that hold a repository and not a link."""
        return [
            path + "/"
            for path in sorted(submodules)
            if os.path.lexists(self._root / path / ".git") and not (self._root / path).is_symlink()
        ]

    def _ask(self, *arguments: str, below: str = "", overrides: tuple[str, ...] = _NO_HOOKS) -> bytes | None:
        """Return git's standard output, or None where git cannot answer; `problem` tells the user why."""
        try:
            done = self._run(*arguments, below=below, overrides=overrides)
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout if done.returncode == 0 else None

    def _place(self) -> tuple[str, Path] | None:
        """Return the path from the work tree's top down to the workspace, and where `info/exclude` is."""
        answer = self._ask(
            "rev-parse", "--show-prefix", "--is-inside-work-tree", "--git-path", "info/exclude"
        )
        prefix, inside, exclude_file = (answer or b"").partition(b"\ntrue\n")
        if not inside:
            return None
        return _decode(prefix).removesuffix("/"), self._root / _decode(exclude_file.removesuffix(b"\n"))

    def _folders_above(self, below: str) -> list[Path]:
        """Return the folders of the work tree above the workspace, its top first."""
        depth = below.count("/") + 1 if below else 0
        return list(reversed(Path(os.path.realpath(self._root)).parents[:depth]))

    def _user_excludes(self) -> Path | None:
        """Return the file of the user's own ignore rules: `core.excludesFile` or its default (gitignore(5))."""
        answer = self._ask("config", "--null", "--type=path", "--get", "core.excludesFile")
        if answer is not None:
            name = _decode(answer.removesuffix(b"\0"))
            return self._root / name if name else None
        configured = os.environ.get("XDG_CONFIG_HOME")
        home = Path(configured or "~/.config").expanduser()
        return home / "git" / "ignore"


def _find_git() -> str | None:
    """Find git on the PATH; one that is named relative to the current folder might come from a workspace."""
    found = shutil.which("git")
    return found if found and Path(found).is_absolute() else None


def _written(path: Path) -> tuple[int, int] | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_size, seen.st_mtime_ns


def _is_blob(data: bytes, name: str) -> bool:
    """Say whether git would name a file of these bytes so (gitformat-pack(5): the hash of "blob", size and bytes)."""
    algorithm = sha1 if len(name) == 40 else sha256
    return any(
        algorithm(b"blob %d\0" % len(form) + form, usedforsecurity=False).hexdigest() == name
        for form in dict.fromkeys((data, data.replace(b"\r\n", b"\n")))
    )


def _by_length(paths: Sequence[str], limit: int) -> Iterator[list[str]]:
    """Cut a list of paths into pieces of about so many characters."""
    piece: list[str] = []
    size = 0
    for path in paths:
        if piece and size + len(path) > limit:
            yield piece
            piece, size = [], 0
        piece.append(path)
        size += len(path) + 1
    if piece:
        yield piece


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _ELSEWHERE and not name.startswith("GIT_TRACE")
    }
    return kept | {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_PAGER": "cat",
    }


def _decode(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _read_rules(path: Path | None) -> str:
    """Return the text of an ignore file, "" where there is none."""
    try:
        return _decode(read_outside(path, IGNORE_FILE_LIMIT)) if path else ""
    except (OSError, ValueError):  # ValueError: a NUL in a configured name
        return ""
