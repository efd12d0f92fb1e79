"""The `codecite` command: parse, call the engine, print, and leave with an exit code to trust."""

import asyncio
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from codecite.cli.messages import Language, language_of, message
from codecite.cli.parser import build_parser
from codecite.cli.terminal import prepare, safe
from codecite.model.errors import CodeciteError

if TYPE_CHECKING:
    from codecite.cli.engines import Engines

INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def run() -> int:
    """Carry out the command of this process's arguments and return its exit code."""
    return main(sys.argv[1:])


def main(arguments: list[str], engines: "Engines | None" = None) -> int:
    """Carry out one command and return its exit code; every error a user can meet becomes one line."""
    language = language_of(os.environ)
    as_json = "--json" in arguments
    prepare(sys.stdout, json=as_json)
    prepare(sys.stderr, json=False)
    try:
        options = build_parser().parse_args(arguments)
        if options.command == "lsp":
            return _serve(options.tcp)
        from codecite.cli.running import carry_out, lines  # noqa: PLC0415 - a language server starts without it

        outcome = asyncio.run(carry_out(options, language, engines))
    except CodeciteError as error:
        _say(_told(error, language))
        if as_json:
            body = {"code": error.code, "message": error.message, "mend": error.mend}
            _print([_document({"error": body})])
        return error.exit_code
    except KeyboardInterrupt:
        _say(message(language, "cancelled"))
        return INTERRUPTED
    _print([_document(outcome.document)] if as_json else lines(options, outcome))
    for line in outcome.said:
        _say(line)
    return outcome.exit_code


def _serve(tcp_port: int | None) -> int:
    from codecite.lsp.server import main as serve  # noqa: PLC0415 - slow to load

    return serve(tcp_port)


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
