"""`workspace/executeCommand`: the requests of our own for every editor, one object argument each."""

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from codecite.lsp.engines import Json
from codecite.lsp.requests import REQUESTS
from codecite.lsp.session import Session
from codecite.model.errors import BadInput

COMMANDS = {f"codecite.{name}": REQUESTS[name] for name in ("ask", "status", "reindex")}


async def execute(session: Session, params: types.ExecuteCommandParams) -> Json:
    """Carry out a command. Raises CodeciteError."""
    request = COMMANDS.get(params.command)
    if request is None:
        raise BadInput(f"there is no command {params.command!r}", f"known are {', '.join(COMMANDS)}")
    return await request(session, _argument(params.arguments), params.work_done_token)


def _argument(arguments: Sequence[Any] | None) -> object:
    """Return the one argument; none at all is an empty object."""
    if not arguments:
        return {}
    if len(arguments) > 1:
        raise BadInput(
            f"the command takes one object, {len(arguments)} arguments came", "send one JSON object"
        )
    return arguments[0]
