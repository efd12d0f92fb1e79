"""The documentation is held against the code: whatever can be checked about a page is checked here."""

import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecite.cli import reference
from codecite.cli.parser import build_parser, subparsers

TOP = Path(__file__).resolve().parents[2]
PAGES = sorted([*TOP.glob("*.md"), *TOP.glob("docs/**/*.md")])
DECISIONS = sorted(TOP.glob("docs/decisions/*.md"))
IDS = [page.relative_to(TOP).as_posix() for page in PAGES]

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE_PATH = re.compile(r"(?<![\w./-])((?:server|tests|docs|\.ci)/[\w./-]*)")
INLINE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|[\s/\\])codecite (?=[a-z-])(.*)")
MODULE = re.compile(r"python3? -m ((?:codecite)[\w.]*)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def targets(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file and the anchor of each link that does not leave the repository."""
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" not in link:
            path, _, anchor = link.partition("#")
            yield ((page.parent / path).resolve() if path else page), anchor


def anchors(page: Path) -> set[str]:
    headings = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(text: str) -> Iterator[str]:
    """Yield what follows `codecite` wherever a page shows a command, up to a pipe, a comment or the next command."""
    shown = [line for _, block in FENCE.findall(text) for line in block.splitlines()]
    shown += INLINE.findall(FENCE.sub("", text))
    for line in shown:
        found = COMMAND.search(line)
        if found and (line.lstrip().startswith(("codecite", "$", ".")) or "&& " in line or "; " in line):
            yield re.split(r" +(?:#|\||&&|;|→)", found[1])[0]


def check_command(command: str) -> None:
    """Parse a command with the real parser; the bare name of one is fine, and so is `--help`, which ends it."""
    if command in subparsers(build_parser()):
        return
    try:
        build_parser().parse_args(shlex.split(command))
    except SystemExit as left:
        assert left.code == 0, command  # noqa: PT017 - argparse says by its exit code whether it was understood


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_resolve(page: Path) -> None:
    for target, anchor in targets(page):
        assert target.exists(), target
        assert target.is_relative_to(TOP), f"{target} is not part of a clone"
        assert not anchor or anchor in anchors(target), f"{target.name}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_paths_exist(page: Path) -> None:
    for path in CODE_PATH.findall(page.read_text(encoding="utf-8")):
        assert (TOP / path.rstrip(".")).exists(), path


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_commands_are_understood(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.name != "cli.md":  # whose usage lines stand for commands; its examples are checked below
        for command in commands(text):
            check_command(command)
    for module in MODULE.findall(text):
        assert importlib.util.find_spec(module), module


def test_the_check_of_commands_finds_them() -> None:
    text = 'Run `codecite stop`.\n```sh\n.venv/bin/x && .venv/bin/codecite ask "a b" | head\n$ codecite status  # now\n```\n'
    assert sorted(commands(text)) == ['ask "a b"', "status", "stop"]
    with pytest.raises(Exception, match="unrecognized arguments"):
        check_command("status --no-such-option")


def test_examples_of_help_are_understood() -> None:
    parser = build_parser()
    shown = 0
    for each in (parser, *subparsers(parser).values()):
        for line in (each.epilog or "").splitlines():
            if line.startswith("  codecite "):
                check_command(line.removeprefix("  codecite "))
                shown += 1
    assert shown > len(subparsers(parser))


def test_the_reference_is_what_the_parsers_say() -> None:
    written = (TOP / "docs/reference/cli.md").read_text(encoding="utf-8")
    assert written == reference.page(), "run `python -m codecite.cli.reference`"


def test_every_dependency_has_its_reason_and_every_reason_its_dependency() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    names = {re.split(r"[^\w.-]", requirement)[0].lower() for requirement in declared}
    explained = re.findall(
        r"\*\*([\w.-]+)\*\*", (TOP / "docs/decisions/0002-dependencies.md").read_text(encoding="utf-8")
    )
    assert {name.lower() for name in explained} == names
    assert len(explained) == len(names)


def test_decisions_are_numbered_and_complete() -> None:
    for number, page in enumerate(DECISIONS, 1):
        text = page.read_text(encoding="utf-8")
        assert page.name.startswith(f"{number:04}-")
        assert text.startswith(f"# {number}. ")
        assert "\nStatus: " in text
        assert [heading for heading in HEADING.findall(text)[1:] if not heading.startswith("To ")] == [
            "Context",
            "Decision",
            "Consequences",
        ]


def test_the_changelog_has_a_place_for_what_is_new() -> None:
    changelog = (TOP / "docs/changelog.md").read_text(encoding="utf-8")
    assert "\n## [Unreleased]\n" in changelog


def test_the_readme_opens_with_both_commands() -> None:
    readme = (TOP / "README.md").read_text(encoding="utf-8")
    first = readme.index(".venv/bin/codecite ask")
    second = readme.index("python3 tests/run.py")
    assert first < second < readme.index("\n## What works today")


def test_the_answer_in_the_readme_is_right_on_the_line_now() -> None:
    answer = re.search(
        r"^```console\n(.*?)^```", (TOP / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert answer is not None
    lines: list[str] = []
    checked = 0
    for shown in answer[1].splitlines():
        if cited := re.match(r"\[\d+\] ([^:]+):\d+-\d+ ", shown):
            lines = (TOP / cited[1]).read_text(encoding="utf-8").splitlines()
        elif code := re.match(r" +(\d+) \|(?: (.*))?$", shown):
            assert lines[int(code[1]) - 1] == (code[2] or ""), f"ask again, and put the answer here: {shown}"
            checked += 1
    assert checked >= 2
