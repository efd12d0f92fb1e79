"""Index trees with the real program and hold every block against the files: `python tests/bench/invariants.py TREE ...`.

For each tree, in a fresh store, with nothing of codecite's own reading code:

- every line of every accepted file is in exactly one leaf, and every leaf's text equals the lines that it names;
- ids are unique, and a refused file has no leaf;
- accepted and refused files together are the files that git lists, where the tree is a repository.

Lines end at LF, CRLF and CR. A file is read as UTF-8, or as its byte order mark says. A leaf text that differs then is
held against the file read in each of LEGACY: the first encoding in which the whole file agrees is named beside it. NUL
characters are compared as spaces, which is how they are stored.

Prints `N files, M blocks, W wrong` for each tree and exits with 1 when anything was wrong.
"""

import argparse
import codecs
import io
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # a script's own folder is all that Python adds

from tests.bench.codecite_cli import COMMAND, store
from tests.bench.measuring import RunError
from tests.bench.picking import files_of

LEGACY = [
    "cp1252",
    "latin-1",
    "utf-16-le",
    "utf-16-be",
    "gb18030",
    "big5",
    "shift_jis",
    "euc_jp",
    "euc_kr",
    "koi8_r",
    "cp1251",
    "cp1250",
    "iso8859_15",
    "iso8859_2",
]
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MOST_SHOWN = 20

Json = dict[str, Any]


@dataclass(slots=True)
class Verdict:
    """What was looked at in one tree and what of it is wrong, a line each."""

    files: int = 0
    blocks: int = 0
    wrong: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)  # worth knowing, not wrong


def main() -> int:
    """Check the trees of the command line; return 1 when anything was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", metavar="TREE", nargs="+", type=Path)
    wrong = 0
    for tree in parser.parse_args().trees:
        try:
            verdict = check(tree.resolve())
        except RunError as error:
            verdict = Verdict(wrong=[str(error)])
        print(f"{tree.name}: {verdict.files:,} files, {verdict.blocks:,} blocks, {len(verdict.wrong)} wrong")
        for line in verdict.told:
            print(f"  {line}")
        for line in verdict.wrong[:MOST_SHOWN]:
            print(f"  WRONG {line}")
        sys.stdout.flush()
        wrong += len(verdict.wrong)
    return int(wrong > 0)


def check(tree: Path) -> Verdict:
    """Index a tree and compare what the store holds with what is on disk."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, store(tree, Path(folder) / "home") as env:
        report = _codecite(tree, env, "index", "--wait")
        blocks: list[Json] = _codecite(tree, env, "blocks")["blocks"]
    refused = {item["path"]: item["reason"] for item in report["files"]["skipped"]}
    verdict = Verdict(report["files"]["indexed"], len(blocks))
    verdict.wrong += [
        f"id {name} stands {n} times" for name, n in Counter(b["id"] for b in blocks).items() if n > 1
    ]
    leaves: defaultdict[str, list[Json]] = defaultdict(list)
    for block in blocks:
        leaves[block["path"]].append(block)
    encodings: Counter[str] = Counter()
    for path, own in leaves.items():
        encodings[_check_file(tree / path, path, own, verdict.wrong)] += 1
    del encodings["utf-8"]
    verdict.told += [f"{count} files compared as {name}" for name, count in encodings.items() if name]
    _check_listing(tree, set(leaves), refused, verdict)
    return verdict


def _check_file(file: Path, path: str, leaves: list[Json], wrong: list[str]) -> str:
    """Compare the leaves of a file with its bytes; return the encoding in which it was read, "" for none."""
    leaves.sort(key=lambda leaf: leaf["start_line"])
    joined = "".join(leaf["text"] for leaf in leaves)
    readings = dict(_readings(file.read_bytes()))
    encoding = next((name for name, text in readings.items() if text == joined), "")
    lines = list(io.StringIO(readings.get(encoding, next(iter(readings.values()))), newline=""))
    expected = 1
    for leaf in leaves:
        start, end = leaf["start_line"], leaf["end_line"]
        if start != expected:
            wrong.append(f"{path}:{start}: line {expected} was due: a line in no leaf, or in two")
        if end < start or leaf["text"] != "".join(lines[start - 1 : end]):
            wrong.append(f"{path}:{start}-{end}: the text is not that of the file's lines")
        expected = end + 1
    if expected != len(lines) + 1:
        wrong.append(f"{path}: {len(lines)} lines, the leaves end at {expected - 1}")
    return encoding


def _readings(data: bytes) -> Iterator[tuple[str, str]]:
    """Give the texts that a file's bytes can be, the likeliest first."""
    marks = [(len(mark), name) for mark, name in MARKS if data.startswith(mark)][:1]
    unmarked = [name for name in ("utf-8", *LEGACY) if name not in dict(marks).values()]
    for skipped, name in [*marks, *((0, name) for name in unmarked)]:
        try:
            yield name, data[skipped:].decode(name).replace("\0", " ")
        except UnicodeDecodeError:
            continue


def _check_listing(tree: Path, with_leaves: set[str], refused: dict[str, str], verdict: Verdict) -> None:
    verdict.wrong += [
        f"{path}: refused ({refused[path]}) and has leaves" for path in with_leaves & refused.keys()
    ]
    reasons = ", ".join(f"{count} {reason}" for reason, count in Counter(refused.values()).most_common())
    verdict.told += [f"refused: {reasons}"] if reasons else []
    folders = tuple(path for path in refused if path.endswith("/"))
    listed = files_of(tree)
    rest = [
        path
        for path in listed
        if path not in with_leaves
        and path not in refused
        and f"{path}/" not in refused
        and not path.startswith(folders)
    ]
    empty = {path for path in rest if _is_empty(tree / path)}
    missing = sorted(set(rest) - empty)
    if (tree / ".git").exists():
        verdict.wrong += [f"{path}: neither accepted nor refused" for path in missing]
        verdict.wrong += [
            f"{path}: accepted, and not in git's list" for path in sorted(with_leaves - set(listed))
        ]
        if verdict.files != len(with_leaves) + len(empty):
            verdict.wrong.append(
                f"{verdict.files} files said, {len(with_leaves)} with leaves, {len(empty)} empty"
            )
    elif missing:
        verdict.told.append(f"{len(missing)} files neither accepted nor refused, such as {missing[0]}")


def _is_empty(file: Path) -> bool:
    """Say whether a file holds no line: nothing but, perhaps, a byte order mark."""
    if file.is_symlink() or not file.is_file():
        return False
    data = file.read_bytes()
    return not data or any(data == mark for mark, _ in MARKS)


def _codecite(tree: Path, env: dict[str, str], *arguments: str) -> Json:
    done = subprocess.run(
        [*COMMAND, "--workspace", str(tree), *arguments, "--json"],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RunError(
            f"`codecite {' '.join(arguments)}` ended with {done.returncode}: {done.stderr.strip()}"
        )
    document: Json = json.loads(done.stdout)
    return document


if __name__ == "__main__":
    sys.exit(main())
