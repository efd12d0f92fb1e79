"""One command, from its parsed arguments to what is to be printed."""

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from codecite.cli import render
from codecite.cli.commands import COMMANDS, Call, Outcome
from codecite.cli.engines import Engines, LocalEngines
from codecite.cli.messages import Language, message
from codecite.cli.progress import ProgressBar
from codecite.cli.terminal import screen_of
from codecite.model.errors import BadInput


async def carry_out(options: argparse.Namespace, language: Language, engines: Engines | None) -> Outcome:
    """Carry out the command that was parsed, with a progress bar. Raises CodeciteError."""
    engines = engines or LocalEngines()
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


def lines(options: argparse.Namespace, outcome: Outcome) -> Iterable[str]:
    """Return what is printed of an outcome where nobody asked for JSON."""
    name = "queued" if options.command == "index" and not options.wait else options.command
    return render.VIEWS[name](outcome.document, screen_of(sys.stdout, os.environ))
