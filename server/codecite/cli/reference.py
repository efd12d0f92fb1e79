"""The reference page of the command line, written from the parsers: `python -m codecite.cli.reference`.

A test compares the page with what this module would write, so the two cannot drift apart. The text is made
from the parsers' own data and not from `format_help`, whose layout differs between versions of Python.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from codecite.cli.parser import build_parser, subparsers

_HEAD = """\
# Command line

<!-- Written by `python -m codecite.cli.reference`; edit server/codecite/cli/parser.py instead. -->
"""


def page() -> str:
    """Return the whole page as Markdown."""
    return "\n".join([_HEAD, *_lines()]) + "\n"


def _lines() -> Iterator[str]:
    parser = build_parser()
    commands = subparsers(parser)
    yield from _prose(parser)
    yield "## Everywhere"
    yield ""
    yield from _table(parser)
    for command in commands.values():
        yield f"## {command.prog}"
        yield ""
        yield "```text"
        yield _usage(command)
        yield "```"
        yield ""
        yield from _prose(command)
        yield from _table(command)
        yield from _block(command.epilog)


def _prose(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the description, indented lines of it as code, and for the whole program its exit codes."""
    fenced = False
    for line in (parser.description or "").splitlines():
        if line.startswith("  ") != fenced:
            fenced = not fenced
            yield "```text" if fenced else "```"
        yield line
    if fenced:
        yield "```"
    yield ""
    if parser.prog == "codecite":
        yield from _block(parser.epilog)


def _block(text: str | None) -> Iterator[str]:
    yield "```text"
    yield (text or "").rstrip()
    yield "```"
    yield ""


def _own_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return what a command takes, without what every command takes."""
    whole = parser.prog == "codecite"
    common = {"help", "version"} if whole else {"help", "workspace", "json"}
    return [
        action
        for action in parser._actions  # noqa: SLF001 - argparse has no public way to list what a parser takes
        if action.dest not in common and not isinstance(action, argparse._SubParsersAction)  # noqa: SLF001 - as above
    ]


def _table(parser: argparse.ArgumentParser) -> Iterator[str]:
    actions = _own_actions(parser)
    if not actions:
        return
    yield "| argument | meaning |"
    yield "|---|---|"
    for action in actions:
        yield f"| `{_spelling(action)}` | {(action.help or '').replace('|', chr(92) + '|')} |"
    yield ""


def _usage(parser: argparse.ArgumentParser) -> str:
    words = [parser.prog]
    for action in _own_actions(parser):
        word = _spelling(action)
        words.append(f"[{word}]" if action.option_strings or action.nargs == "?" else word)
    return " ".join(words)


def _spelling(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    if not action.option_strings:
        return name
    return action.option_strings[0] if action.nargs == 0 else f"{action.option_strings[0]} {name}"


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference/cli.md")
    target.write_text(page(), encoding="utf-8")
