"""Runs too long for one leaf are split between statements, else at blank lines, else where they must be."""

from dataclasses import replace
from zlib import crc32

from codecite.detect.runs import Run
from codecite.detect.source import Source

_PART = 60  # lines that a part of a run of many statements has at most
_LEAST = 12  # lines that a part has at least, where there is a choice
_ONE_IN = 4  # share of statements that end a part by their content


def split_runs(
    source: Source, runs: list[Run], statements: dict[int, int], leading: set[int], max_lines: int
) -> list[Run]:
    """Split what is too long. `statements` maps the line on which one starts to how deep it is nested.

    The parts of a run keep its symbol.
    """
    found: list[Run] = []
    for run in runs:
        limit = min(_PART, max_lines) if run.parts else max_lines
        if run.last - run.first < limit:
            found.append(run)
            continue
        first = run.first
        while run.last - first >= limit:
            cut = _cut(source, first, limit, run, statements, leading)
            found.append(_part(run, first, cut - 1))
            first = cut
        found.append(_part(run, first, run.last))
    return found


def _part(run: Run, first: int, last: int) -> Run:
    lead = run.lead if first == run.first else -1
    return replace(run, first=first, last=last, code_last=max(first, min(last, run.code_last)), lead=lead)


def _cut(
    source: Source, first: int, limit: int, run: Run, statements: dict[int, int], leading: set[int]
) -> int:
    """Return the line at which the next part starts, at most `limit` lines on."""
    least = _LEAST if run.parts else limit // 2
    window = range(first + max(1, min(least, limit - 1)), min(first + limit, run.last) + 1)
    starts = [line for line in window if line in statements]
    if starts:
        shallowest = min(statements[line] for line in starts)
        starts = [line for line in starts if statements[line] == shallowest]
        # Where the content decides, lines added above do not move every cut below.
        chosen = [
            line
            for line in starts
            if crc32(source.lines[line].strip().encode(errors="replace")) % _ONE_IN == 0
        ]
        line = chosen[0] if run.parts and chosen else starts[-1]
        while line - 1 > first and line - 1 in leading:
            line -= 1
        return line
    after_blank = [line for line in window if source.is_blank(line - 1) and not source.is_blank(line)]
    return after_blank[-1] if after_blank else window[-1]
