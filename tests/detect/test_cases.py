"""Each source of the case files falls into the leaves and definitions that the file states."""

from pathlib import Path

import pytest
from tests.detect.casefiles import Case, cases

from codecite.detect.parse import parse
from codecite.model.lines import split_lines

FOLDER = Path(__file__).parent / "cases"
CASES = [case for name in ("python", "brackets", "texts") for case in cases(FOLDER / f"{name}.case")]
DERIVED = {"Water & pipes", "Flow"}  # titles that are not spelled on their line as they are


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.language}: {case.title}")
def test_leaves_and_definitions_are_as_stated(case: Case) -> None:
    check(case)


def check(case: Case) -> None:
    parsed = parse("folder/file", case.source, case.language)
    lines = split_lines(case.source)
    assert "".join(leaf.text for leaf in parsed.leaves) == case.source
    leaves = [
        f"{leaf.start_line}-{leaf.end_line} {leaf.kind} {leaf.symbol}".rstrip() for leaf in parsed.leaves
    ]
    assert leaves == case.parts["leaves"].splitlines()
    found = [f"{item.name_line}:{item.name_column} {item.kind} {item.symbol}" for item in parsed.definitions]
    assert found == case.parts.get("definitions", "").splitlines()
    for item in parsed.definitions:
        spelled = lines[item.name_line - 1][item.name_column :]
        assert spelled.startswith(item.name) or item.name in DERIVED
    assert parsed.clean == ("clean" not in case.parts)
    assert list(parsed.notes) == case.parts.get("notes", "").splitlines()
