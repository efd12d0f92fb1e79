"""Where things are: the stores, the socket, and which folder a path belongs to.

A store holds code, so its folder is the user's alone: created 0700, its owner checked, a looser mode
tightened, a folder of somebody else refused. The socket lives apart, in a short folder, since its path has a
limit of 104 bytes (macOS; Linux has 108) that a cache directory easily exceeds.
"""

import os
import re
import stat
import tempfile
from hashlib import sha256
from pathlib import Path

import platformdirs

from codecite.model.errors import BadInput, StoreLocked, Unavailable

LOG_FILE = "engine.log"  # in a store

LONGEST_SOCKET_PATH = 103  # bytes; sockaddr_un of macOS holds 104 with the closing NUL

_UNSPEAKABLE = re.compile(r"[^\w.-]+")


def home() -> Path:
    """Return the folder of all that codecite keeps: $CODECITE_HOME, else in the user's cache directory."""
    chosen = os.environ.get("CODECITE_HOME")
    return Path(chosen).absolute() if chosen else platformdirs.user_cache_path("codecite", appauthor=False)


def identity(workspace: Path) -> Path:
    """Return the one spelling of a workspace folder: absolute, links resolved, drive letter in upper case."""
    real = os.path.realpath(workspace)
    drive, rest = os.path.splitdrive(real)
    return Path(drive.upper() + rest)


def store_path(workspace: Path) -> Path:
    """Return where a workspace's store is or would be; touches nothing."""
    real = identity(workspace)
    name = _UNSPEAKABLE.sub("-", real.name)[:40].strip("-.") or "root"
    return home() / "workspaces" / f"{name}-{sha256(os.fsencode(real)).hexdigest()[:16]}"


def store_folder(workspace: Path) -> Path:
    """Return the store folder of a workspace, created where it was missing, private to this user.

    Raises BadInput where the workspace is no folder or holds git's own files and no work tree, StoreLocked where the
    store belongs to somebody else.
    """
    if not workspace.is_dir():
        raise BadInput(f"{workspace} is not a folder", "name an existing folder with --workspace")
    if (workspace / "HEAD").is_file() and all((workspace / name).is_dir() for name in ("objects", "refs")):
        raise BadInput(
            f"{workspace} is a bare repository: it has no work tree to index",
            "name a clone of it, or add a work tree with `git worktree add`",
        )
    store = store_path(workspace)
    try:
        home().mkdir(mode=0o700, parents=True, exist_ok=True)
        private_folder(store.parent)
        return private_folder(store)
    except OSError as error:
        raise Unavailable(
            f"the store {store} cannot be used: {error.strerror}",
            "point CODECITE_HOME at a folder of your own",
        ) from error


def socket_path(store: Path) -> Path:
    """Return where the engine of a store listens, in a private folder that exists; one name for each store.

    Raises Unavailable when no folder gives a path short enough, StoreLocked when it belongs to somebody else.
    """
    name = sha256(os.fsencode(store)).hexdigest()[:16] + ".sock"
    for folder in _runtime_candidates():
        path = folder / name
        if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
            private_folder(folder)
            return path
    raise Unavailable(
        "no folder with a path short enough for a socket", "set XDG_RUNTIME_DIR to a short path"
    )


def _runtime_candidates() -> list[Path]:
    candidates = []
    session = os.environ.get("XDG_RUNTIME_DIR", "")
    if Path(session).is_absolute() and Path(session).is_dir():
        candidates.append(Path(session) / "codecite")
    own = f"codecite-{os.getuid()}" if hasattr(os, "getuid") else "codecite"
    candidates.append(Path(tempfile.gettempdir()) / own)
    candidates.append(Path("/tmp") / own)  # noqa: S108 - owner and mode are checked
    return candidates


def private_folder(folder: Path) -> Path:
    """Make sure that a folder is there and this user's alone (0700); its parent must exist.

    Raises StoreLocked for a folder of another user or a link, OSError where it cannot be made. On Windows the
    profile's access list does this.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode):
        raise StoreLocked(f"{folder} is a link and not a folder", "remove it")
    if hasattr(os, "geteuid"):
        if seen.st_uid != os.geteuid():
            raise StoreLocked(
                f"{folder} belongs to another user",
                "remove it, or point CODECITE_HOME at a folder of your own",
            )
        if stat.S_IMODE(seen.st_mode) & 0o077:
            folder.chmod(0o700)
    return folder


def workspace_of(path: Path) -> Path:
    """Return the workspace that a path belongs to.

    That is the innermost folder around it that has a store, else the enclosing repository, else the folder
    itself. A store around a linked work tree or a nested clone does not hold these, so they are never looked beyond.
    Raises BadInput when there is nothing at the path.
    """
    start = identity(path)
    if not start.exists():
        raise BadInput(f"{path} does not exist", "name an existing folder with --workspace")
    folder = start if start.is_dir() else start.parent
    around = (folder, *folder.parents)
    for candidate in around:
        if store_path(candidate).is_dir() or _stands_alone(candidate):
            return candidate
    for candidate in around:
        if (candidate / ".git").exists():  # a file in linked work trees and submodules
            return candidate
    return folder


def _stands_alone(folder: Path) -> bool:
    """Say whether a folder is a linked work tree, or a clone in another repository that is no submodule of it."""
    git = folder / ".git"
    if git.is_dir():
        return any((above / ".git").exists() for above in folder.parents)
    try:
        named = os.fsdecode(git.read_bytes()[:4_096])
    except OSError:
        return False
    # gitrepository-layout(5): a linked work tree's is `worktrees/NAME` of its repository, a submodule's `modules/NAME`.
    return named.replace("\\", "/").rstrip().rpartition("/")[0].endswith("/worktrees")
