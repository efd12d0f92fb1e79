"""Which files are there to be indexed, and which are not and why: of the whole tree, or again where something changed.

What a walk learns of the tree is kept (`Walked`), so that after a change only the folders it happened in are listed
again. A list of names is compared, not the event: a folder tells what is in it whatever its watcher heard or missed.
"""

from collections.abc import Callable, Collection, Iterable

from codecite.collect.ignore import IgnoreRules
from codecite.collect.names import MARKERS
from codecite.collect.walk import (
    IGNORE_FILE,
    REPOSITORY,
    Around,
    Folder,
    RulesChangedError,
    Scan,
    ScanRules,
    Walk,
    Walked,
)
from codecite.model.files import folder_of
from codecite.ports import Disk, Git

_DECIDING = {IGNORE_FILE, REPOSITORY, *MARKERS}


def _nothing(_: str) -> None:
    """Do nothing before a folder is listed."""


def scan(disk: Disk, git: Git, rules: ScanRules, entering: Callable[[str], None] = _nothing) -> Scan:
    """Walk the work tree; raise OSError only where its root cannot be listed, or the machine is out of descriptors.

    A directory below that cannot be listed is refused as "unreadable". Whatever vanishes during the walk is left out.
    `entering` is called with each directory before it is listed, for a watcher to begin there.
    """
    around = Around(
        git.in_work_tree(),
        tuple(git.outer_ignore_files()),
        git.submodules(),
        git.tracked_although_ignored(),
    )
    walk = Walk(disk, rules, around, entering, Walked({}, around))
    walk.down([Folder("", IgnoreRules(outer=around.outer, fold_case=rules.fold_case), is_top=True)])
    return walk.seen(whole=True)


def scan_again(
    disk: Disk,
    rules: ScanRules,
    last: Walked,
    paths: Iterable[str],
    entering: Callable[[str], None] = _nothing,
) -> Scan | None:
    """Look again where something may have changed since a walk; None where only another whole walk can tell.

    `paths` are files or folders. Each folder that holds one is listed anew, and a folder in it that is new is walked;
    of a folder that is named, all that is below it.
    A whole walk is due when ignore rules changed, a repository begins or ends, or a mark that makes a folder a tool's.
    Raises OSError where `scan` does.
    """
    if any(path.rpartition("/")[2] in _DECIDING for path in paths):
        return None
    walk = Walk(disk, rules, last.around, entering, last)
    try:
        for path in sorted(_to_list(paths, last.folders)):
            walk.again(path)
    except RulesChangedError:
        return None
    return walk.seen(whole=False)


def _to_list(paths: Iterable[str], folders: Collection[str]) -> set[str]:
    """Return the walked folders that tell what became of these paths: the nearest one above each.

    A folder that is named may be another one by now, whatever stood below it: all of it is listed.
    """
    found: set[str] = set()
    for path in paths:
        if path in folders:
            found.update(one for one in folders if one == path or one.startswith(f"{path}/") or not path)
        above = path
        while above:
            above = folder_of(above)
            if above in folders:
                found.add(above)
                break
    return found
