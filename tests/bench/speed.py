"""Measure codecite and its peers on the same trees in the same run: `python tests/bench/speed.py TREE [TREE ...]`.

For each tree: what a first index costs (CPU seconds of the whole process tree, wall seconds, peak memory), run by run
in turn with the peers; how soon a search from a cold start has the right file first; how long warm searches take.

    --runs N              measure each N times (3) and show medians
    --peer semble=PROGRAM, --peer cocoindex-code=PROGRAM
                          where a peer is, when it is not on the path as `semble` or `ccc`
    --peer NAME=COMMAND   any other indexer: COMMAND is run with the tree after it
    --symbol NAME=PATH    a symbol for the cold start and the file that defines it; else five are picked from the tree
    --json FILE           every figure of every run

Needs the development install (`pip install -e .[dev]`). A peer that is not there or fails is named as such. Close other
programs first: CPU seconds grow on a busy machine too, through shared caches and a lower clock.
"""

import argparse
import json
import platform
import shlex
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # a script's own folder is all that Python adds

from tests.bench.codecite_cli import WARM_UPS, Codecite, Warm, cold_start
from tests.bench.contestant import Contestant, Run
from tests.bench.measuring import MEMORY, Job, RunError, Usage, measure
from tests.bench.peers.cocoindex_code_cli import CocoindexCode
from tests.bench.peers.semble_cli import Semble
from tests.bench.picking import Picker

SEED = 7
MIB = 1024 * 1024


class Command(Contestant):
    """Any program that indexes the tree named as its last argument."""

    def __init__(self, name: str, command: str) -> None:
        self.name = name
        self.note = command

    @contextmanager
    def job(self, tree: Path, scratch: Path) -> Iterator[Job]:
        yield Job([*shlex.split(self.note), str(tree)], scratch, {})

    def after(self, run: Run) -> str:
        """Return the last line that it printed."""
        return next(reversed(run.usage.stdout.strip().splitlines()), "")[:60]


@dataclass(slots=True)
class Result:
    """What the runs of one contestant on one tree gave."""

    contestant: Contestant
    runs: list[Usage] = field(default_factory=list)
    indexed: str = ""
    failed: str = ""

    def document(self) -> dict[str, Any]:
        """Return every run as JSON."""
        runs = [asdict(run) for run in self.runs]
        for run in runs:
            del run["stdout"]
        return {
            "runs": runs,
            "indexed": self.indexed,
            "failed": self.failed,
            "note": self.contestant.note,
        }

    def row(self) -> list[str]:
        if not self.runs:
            return [self.contestant.name, f"did not run: {self.failed}"]
        ours = isinstance(self.contestant, Codecite)
        memory = [run.left_memory if ours else run.memory for run in self.runs]
        cpu = [run.cpu_seconds for run in self.runs]
        return [
            self.contestant.name,
            f"{statistics.median(cpu):.1f}",
            f"{min(cpu):.1f} - {max(cpu):.1f}",
            f"{statistics.median(run.wall_seconds for run in self.runs):.1f}",
            f"{statistics.median(memory) / MIB:.0f}",
            self.indexed,
        ]


def main() -> int:
    """Measure, print and return 1 when codecite itself did not run."""
    options = _options()
    report: dict[str, Any] = {"machine": _machine(), "runs": options.runs, "memory": MEMORY, "trees": {}}
    print(f"{report['machine']}\nmedians of {options.runs}; memory is {MEMORY}, looked at every 100 ms\n")
    ran = True
    for tree in options.trees:
        document = _measure_tree(tree.resolve(), options)
        report["trees"][tree.name] = document
        ran = ran and bool(document["index"]["codecite"]["runs"])
        if options.json:
            options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return int(not ran)


def _measure_tree(tree: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Measure everything on one tree, print it as it comes, and return it as JSON."""
    picker = Picker(tree, SEED)
    ours = Codecite(picker.questions(options.questions + WARM_UPS))
    named = [(symbol, path) for symbol, path in options.symbol if (tree / path).is_file()]
    load = psutil.getloadavg()[0]
    print(f"## {tree.name}\n\nload average at the start: {load:.1f}", flush=True)

    results = [Result(contestant) for contestant in (ours, *_peers(options.peer))]
    for _ in range(options.runs):
        for result in results:  # in turn, so that a slow minute of the machine meets all alike
            if not result.failed:
                _run_once(result, tree)
    _print_results(results)
    starts = _cold_starts(tree, named or picker.symbols(options.symbols))
    _print_starts(starts)
    _print_warm(ours.warm)
    return {
        "load_average": [load, psutil.getloadavg()[0]],
        "index": {result.contestant.name: result.document() for result in results},
        "cold_start": starts,
        "warm_search": [asdict(warm) for warm in ours.warm],
    }


def _print_results(results: Sequence[Result]) -> None:
    head = ["first index", "CPU s", "from - to", "wall s", "peak MiB", "indexed"]
    print()
    _table([head, *(result.row() for result in results)])
    for result in results:
        if result.runs:
            parts = sorted(result.runs[-1].parts.items(), key=lambda part: -part[1])
            told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts if seconds >= 0.05)
            print(f"  {result.contestant.name}: {result.contestant.note} (CPU s of the last run: {told})")
    print("  peak of codecite is that of engine and parsing worker, of a peer that of all its processes\n")


def _print_starts(starts: Sequence[dict[str, Any]]) -> None:
    rows = [["cold start, symbol", "file", "s", "searches"]]
    for one in starts:
        seconds = "not found" if one["seconds"] is None else f"{one['seconds']:.1f}"
        rows.append([one["symbol"], one["path"], seconds, str(one["tries"])])
    _table(rows)
    print()


def _print_warm(warm: Sequence[Warm]) -> None:
    times = [time for one in warm for time in one.milliseconds]
    if len(times) < 2:
        return
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[18]
    cpu = statistics.median(one.cpu_milliseconds for one in warm)
    print(
        f"warm search   p50 {p50:.1f} ms   p95 {p95:.1f} ms   ({len(times)} searches; {cpu:.1f} ms of CPU in the engine)"
    )
    for reason in sorted({reason for one in warm for reason in one.degraded}):
        print(f"  degraded: {reason}")
    print(flush=True)


def _run_once(result: Result, tree: Path) -> None:
    contestant = result.contestant
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        try:
            with contestant.job(tree, scratch) as job:
                usage = measure(job)
                result.indexed = contestant.after(Run(tree, scratch, usage))
                result.runs.append(usage)
        except (RunError, OSError) as error:
            result.failed = str(error)
            print(f"{contestant.name} failed: {error}", file=sys.stderr)


def _cold_starts(tree: Path, symbols: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    found = []
    for symbol, path in symbols:
        with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as folder:
            try:
                seconds, tries = cold_start(tree, Path(folder) / "home", symbol, path)
            except RunError as error:
                print(error, file=sys.stderr)
                seconds, tries = None, 0
        found.append({"symbol": symbol, "path": path, "seconds": seconds, "tries": tries})
    return found


def _peers(named: Sequence[tuple[str, str]]) -> list[Contestant]:
    commands = dict(named)
    peers: list[Contestant] = []
    if semble := shutil.which(commands.pop("semble", "semble")):
        peers += [Semble(semble), Semble(semble, "all")]
    else:
        print("semble: not installed (see peers/semble_cli.py)")
    if ccc := shutil.which(commands.pop("cocoindex-code", "ccc")):
        peers.append(CocoindexCode(ccc))
    else:
        print("cocoindex-code: not installed (see peers/cocoindex_code_cli.py)")
    return [*peers, *(Command(name, command) for name, command in commands.items())]


def _table(rows: Sequence[Sequence[str]]) -> None:
    columns = max(len(row) for row in rows)
    widths = [max((len(row[n]) for row in rows if len(row) == columns), default=0) for n in range(columns)]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *row[1:]]
        if len(row) == columns:
            cells[1:] = [
                cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)
                for cell, width in zip(row[1:], widths[1:], strict=True)
            ]
        print("   ".join(cells).rstrip())


def _machine() -> str:
    memory = psutil.virtual_memory().total / MIB / 1024
    return f"{platform.system()}, {psutil.cpu_count()} processors, {memory:.0f} GiB, Python {platform.python_version()}"


def _pair(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not (name and mark and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", metavar="TREE", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peer", metavar="NAME=COMMAND", type=_pair, action="append", default=[])
    parser.add_argument("--symbol", metavar="NAME=PATH", type=_pair, action="append", default=[])
    parser.add_argument("--symbols", type=int, default=5, help="how many to pick where none is given")
    parser.add_argument("--questions", type=int, default=40, help="how many warm searches")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    for tree in options.trees:
        if not tree.is_dir():
            parser.error(f"{tree} is not a folder")
    return options


if __name__ == "__main__":
    sys.exit(main())
