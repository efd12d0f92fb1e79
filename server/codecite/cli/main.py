"""The `codecite` command: parse, call the engine, print, and leave with an exit code to trust."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from codecite.cli import render
from codecite.cli.commands import COMMANDS, Call, Outcome
from codecite.cli.engines import Engines, LocalEngines
from codecite.cli.messages import Language, language_of, message
from codecite.cli.parser import build_parser
from codecite.cli.progress import ProgressBar
from codecite.cli.terminal import prepare, safe, screen_of
from codecite.model.errors import BadInput, CodeciteError

INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def run() -> int:
    """Carry out the command of this process's arguments and return its exit code."""
    return main(sys.argv[1:])


def main(arguments: list[str], engines: Engines | None = None) -> int:
    """Carry out one command and return its exit code; every error a user can meet becomes one line."""
    language = language_of(os.environ)
    as_json = "--json" in arguments
    prepare(sys.stdout, json=as_json)
    prepare(sys.stderr, json=False)
    try:
        options = build_parser().parse_args(arguments)
        if options.command == "lsp":
            return _serve(options.tcp)
        outcome = asyncio.run(_carry_out(options, language, engines or LocalEngines()))
    except CodeciteError as error:
        _say(_told(error, language))
        if as_json:
            body = {"code": error.code, "message": error.message, "mend": error.mend}
            _print([_document({"error": body})])
        return error.exit_code
    except KeyboardInterrupt:
        _say(message(language, "cancelled"))
        return INTERRUPTED
    _print([_document(outcome.document)] if as_json else _lines(options, outcome))
    for line in outcome.said:
        _say(line)
    return outcome.exit_code


async def _carry_out(options: argparse.Namespace, language: Language, engines: Engines) -> Outcome:
    workspace = _workspace(options.workspace, language, engines)
    with ProgressBar(sys.stderr, language) as bar:
        call = Call(options, workspace, engines, bar.report, language)
        try:
            return await COMMANDS[options.command](call)
        finally:
            await call.close()


def _workspace(named: str | None, language: Language, engines: Engines) -> Path:
    """Return the folder that was named, as it is, else the one that the current folder belongs to."""
    try:
        if named is None:
            return engines.workspace_of(Path.cwd())
        folder = Path(named).resolve(strict=True)
    except OSError:  # gone, unreadable, or a loop of links
        folder = None
    if folder is None or not folder.is_dir():
        raise BadInput(message(language, "no-folder", path=named or "."), message(language, "no-folder-mend"))
    return folder


def _serve(tcp_port: int | None) -> int:
    from codecite.lsp.server import main as serve  # noqa: PLC0415 - slow to load

    return serve(tcp_port)


def _lines(options: argparse.Namespace, outcome: Outcome) -> Iterable[str]:
    name = "queued" if options.command == "index" and not options.wait else options.command
    return render.VIEWS[name](outcome.document, screen_of(sys.stdout, os.environ))


def _document(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2)


def _told(error: CodeciteError, language: Language) -> str:
    """Return an error in one line; what it quotes may hold anything."""
    if error.mend:
        return safe(message(language, "error-mend", what=error.message, mend=error.mend))
    return safe(message(language, "error", what=error.message))


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _print(lines: Iterable[str]) -> None:
    """Print on standard output; a reader that has gone away, as `head` does, is no error."""
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes once more when it leaves: give it somewhere to flush to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(run())
