"""Cases and runs of `eval`, as JSON lines: read with every fault named by its line, written in one step."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from codecite.cli.metrics import Case, Span
from codecite.model.errors import BadInput


def read_cases(file: Path) -> list[Case]:
    """Read cases; raise `BadInput` for the first line that is not one."""
    cases: dict[str, Case] = {}
    for number, row in _rows(file):
        case = Case(
            id=_text(file, number, row, "id"),
            query=_text(file, number, row, "query"),
            category=_text(file, number, row, "category") if row.get("category") else "",
            relevant=_spans(file, number, row, "relevant"),
        )
        if case.id in cases:
            raise _fault(
                file, number, f"the id {case.id!r} stands on an earlier line too", "give each case its own"
            )
        cases[case.id] = case
    if not cases:
        raise BadInput(f"{file} holds no case", "write one JSON object a line; see `codecite eval --help`")
    return list(cases.values())


def read_runs(file: Path) -> dict[str, tuple[Span, ...]]:
    """Read a run file: what was ranked, by case id. A repeated id takes the last."""
    return {
        _text(file, number, row, "id"): _spans(file, number, row, "ranked") for number, row in _rows(file)
    }


def write_runs(file: Path, runs: Mapping[str, Sequence[Span]]) -> None:
    """Write a run file, a line for each case."""
    lines = [
        json.dumps(
            {
                "id": case_id,
                "ranked": [
                    {"path": item.path, "start_line": item.start_line, "end_line": item.end_line}
                    for item in ranked
                ],
            },
            ensure_ascii=False,
        )
        for case_id, ranked in runs.items()
    ]
    try:
        # A file name that is not UTF-8 holds lone surrogates; written so, they are JSON's own escapes.
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise BadInput(
            f"{file} cannot be written: {error.strerror}", "name another file after --runs"
        ) from error


def spans(rows: Sequence[Mapping[str, Any]]) -> tuple[Span, ...]:
    """Turn ranked rows, as the engine returns them, into spans."""
    return tuple(Span(row["path"], row.get("start_line"), row.get("end_line")) for row in rows)


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        content = file.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}", "check the name of the file") from error
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            what = getattr(error, "msg", None) or "not UTF-8"
            raise _fault(file, number, f"not JSON ({what})", "write one JSON object a line") from error
        if not isinstance(row, dict):
            raise _fault(file, number, "not a JSON object", "write one JSON object a line")
        yield number, row


def _text(file: Path, number: int, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _fault(
            file, number, f"`{name}` is missing or not a text", "see `codecite eval --help` for the form"
        )
    return value


def _spans(file: Path, number: int, row: Mapping[str, Any], name: str) -> tuple[Span, ...]:
    value = row.get(name)
    form = 'write [{"path": …, "start_line": …, "end_line": …}]; the lines are optional'
    if not isinstance(value, list):
        raise _fault(file, number, f"`{name}` is missing or not a list", form)
    for item in value:
        if not isinstance(item, dict) or not isinstance(item.get("path"), str) or not item["path"]:
            raise _fault(file, number, f"an item of `{name}` has no `path`", form)
        lines = item.get("start_line"), item.get("end_line")
        whole = [line for line in lines if isinstance(line, int) and not isinstance(line, bool) and line > 0]
        if lines != (None, None) and (len(whole) != 2 or whole[0] > whole[1]):
            raise _fault(
                file, number, f"the lines of an item of `{name}` are not a range counted from 1", form
            )
    return spans(value)


def _fault(file: Path, number: int, what: str, mend: str) -> BadInput:
    return BadInput(f"{file}:{number}: {what}", mend)
