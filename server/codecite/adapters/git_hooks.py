"""Git hooks that tell a running engine that git has moved: put in, and taken out again without a trace.

What is ours in a hook is one marked section. It stands right after the `#!` line, because a hook of the user's may
leave anywhere further down, and it hands its work to the background, so that git neither waits nor hears of it. All
else in the hook stays as it is, byte for byte, and so does its exit status. Only hooks that a POSIX shell runs are
touched; any other is left alone, and said to be.
"""

import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from codecite.adapters.git import GitCommand
from codecite.model.errors import BadInput, Unavailable

HOOKS = ("post-commit", "post-merge", "post-checkout", "post-rewrite")  # githooks(5): none can stop git
# `-P` keeps the work tree, where git runs hooks, off the module path: what lies there must not be imported.
NUDGE: tuple[str, ...] = (
    Path(sys.executable).as_posix(), "-P", "-m", "codecite.cli.main", "hook", "nudge", "--workspace", ".",
)  # fmt: skip

State = Literal["installed", "kept", "removed", "left-alone"]
Reason = Literal[
    "",
    "present",  # our section is there already
    "beside",  # what the hook did before it still does
    "in-work-tree",  # the hook lies among the files of a work tree, where git may list it as changed
    "absent",  # there is no such hook
    "not-ours",  # nothing of ours is in it
    "rest-kept",  # the rest of the hook is as it was
    "not-executable",  # so git does not run it
    "link",  # `about` is where it leads
    "no-file",
    "no-shell-script",  # `about` is its first line
    "broken-section",  # a mark of ours is missing
]

_BEGIN = "# >>> codecite: tells a running engine that git has moved; `codecite hook remove` takes this out"
_END = "# <<< codecite"
_SHEBANG = b"#!/bin/sh\n"  # of a hook that is ours alone
_SHELL = re.compile(
    rb"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:\S*/)?(?:sh|bash|dash|ash|ksh|mksh|zsh)(?:\.exe)?(?:[ \t\r\n]|\Z)"
)
# A section with the line end after it, which may have become a CRLF, or is missing where the section ends the file.
_SECTION = re.compile(
    rb"^# >>> codecite: .*\n(?:(?!# (?:>>>|<<<) codecite).*\n)*# <<< codecite(?:[ \t]*\r?\n|[ \t]*\r?\Z)",
    re.MULTILINE,
)
_MARK = re.compile(rb"^# (?:>>>|<<<) codecite", re.MULTILINE)
_LONGEST_HOOK = 1 << 20  # bytes; a larger one is no script


@dataclass(frozen=True, slots=True)
class Hook:
    """What became of one hook, and why where that is not plain."""

    name: str
    path: Path
    state: State
    reason: Reason = ""
    about: str = ""


class GitHooks:
    """The hooks of the repository around a folder. `command` is what they run, found without the help of a PATH."""

    def __init__(self, workspace: Path, command: Sequence[str] = NUDGE) -> None:
        self._folder = _folder(workspace)
        self._command = command

    def install(self) -> list[Hook]:
        """Put our section into each hook, making those that are not there; a second time changes nothing.

        Raises Unavailable where the folder of hooks cannot be written.
        """
        return [self._put_in(self._folder / name) for name in HOOKS]

    def remove(self) -> list[Hook]:
        """Take our section out of each hook; one that held nothing else is deleted. Raises as `install` does."""
        return [self._take_out(self._folder / name) for name in HOOKS]

    def _put_in(self, path: Path) -> Hook:
        section = _section(path.name, self._command)
        if not os.path.lexists(path):
            _write(path, _SHEBANG + section, mode=0o755)
            return Hook(path.name, path, "installed", "in-work-tree" if _in_work_tree(path) else "")
        found = _look(path)
        if isinstance(found, Hook):
            return found
        whole = _without_section(found)
        wanted = _with_section(whole, section)
        if wanted == found:
            return Hook(path.name, path, "kept", "present")
        if not os.access(path, os.X_OK):
            return Hook(path.name, path, "left-alone", "not-executable")
        _write(path, wanted, mode=path.stat().st_mode)
        beside: Reason = "beside" if whole != _SHEBANG else ""
        return Hook(path.name, path, "installed", "in-work-tree" if _in_work_tree(path) else beside)

    def _take_out(self, path: Path) -> Hook:
        if not os.path.lexists(path):
            return Hook(path.name, path, "left-alone", "absent")
        found = _look(path)
        if isinstance(found, Hook):
            return found
        whole = _without_section(found)
        if whole == found:
            return Hook(path.name, path, "left-alone", "not-ours")
        if whole == _SHEBANG:
            _delete(path)
            return Hook(path.name, path, "removed")
        _write(path, whole, mode=path.stat().st_mode)
        return Hook(path.name, path, "removed", "rest-kept")


def _folder(workspace: Path) -> Path:
    """Return the folder of hooks. Raises BadInput where no work tree is, Unavailable where git cannot be asked."""
    git = GitCommand(workspace)
    folder = git.hook_folder()
    if folder is not None:
        return folder
    problem = git.problem()
    if not problem:
        raise BadInput(
            f"{workspace} is in no git repository", "run it inside of one, or name one with --workspace"
        )
    if "bare repository" in problem:
        raise BadInput(
            f"{workspace}: {problem}, so there is nothing to follow",
            "run it in a work tree of the repository",
        )
    raise Unavailable(problem, "make `git status` work here first")


def _section(name: str, command: Sequence[str]) -> bytes:
    """Return our lines of a hook. They leave standard input, which some hooks read, and every variable alone.

    A rebase runs hooks for each commit that it makes, and `post-rewrite` at its end: that one speaks for them all.
    """
    outside_rebase = "" if name == "post-rewrite" else '[ ! -d "${GIT_DIR:-.git}/rebase-merge" ] && '
    there = f"[ -x {shlex.quote(command[0])} ] && "
    call = f"( {outside_rebase}{there}{shlex.join(command)} & ) </dev/null >/dev/null 2>&1"
    return os.fsencode("\n".join([_BEGIN, call, _END, ""]))


def _with_section(hook: bytes, section: bytes) -> bytes:
    """Return a hook with our section after its first line; where that line has no end, the section has none either."""
    first, end, rest = hook.partition(b"\n")
    return first + b"\n" + (section + rest if end else section.removesuffix(b"\n"))


def _without_section(hook: bytes) -> bytes:
    """Return a hook as it was before our section came in: the inverse of `_with_section`."""
    whole = _SECTION.sub(b"", hook)
    return whole if hook.endswith(b"\n") else whole.removesuffix(b"\n")


def _look(path: Path) -> bytes | Hook:
    """Return what a hook holds, or what is said of one that is not ours to change."""

    def left(reason: Reason, about: str = "") -> Hook:
        return Hook(path.name, path, "left-alone", reason, about)

    if path.is_symlink():
        return left("link", str(path.readlink()))
    if not path.is_file():
        return left("no-file")
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST_HOOK + 1)
    except OSError as error:
        raise _unusable(path, error) from error
    if not _SHELL.match(data) or b"\0" in data or len(data) > _LONGEST_HOOK:
        first = data[:200].partition(b"\n")[0].decode("utf-8", "replace").strip()
        return left("no-shell-script", first if data.startswith(b"#!") else "no `#!` line")
    if len(_MARK.findall(data)) != 2 * len(_SECTION.findall(data)):
        return left("broken-section")
    return data


def _in_work_tree(path: Path) -> bool:
    """Say whether a hook lies among the files of a work tree, as `core.hooksPath` may have it, and not in `.git`."""
    folders = path.parents
    within = next((at for at, folder in enumerate(folders) if (folder / ".git").exists()), None)
    return within is not None and not any(folder.name == ".git" for folder in folders[:within])


def _write(path: Path, data: bytes, mode: int) -> None:
    """Put a hook in place whole: a shell reads its script while it runs it."""
    fresh = path.with_name(f"{path.name}.codecite-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            fresh.write_bytes(data)
            fresh.chmod(mode & 0o777)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise _unusable(path, error) from error


def _delete(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise _unusable(path, error) from error


def _unusable(path: Path, error: OSError) -> Unavailable:
    return Unavailable(
        f"the hook {path} cannot be changed: {error.strerror}",
        "check the folder's owner and permissions, and `git config core.hooksPath`",
    )
