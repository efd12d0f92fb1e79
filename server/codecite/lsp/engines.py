"""What this front end asks of an engine's client; `codecite.engine.client` is the real one."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol, TypeAlias

Json: TypeAlias = dict[str, Any]
OnProgress: TypeAlias = Callable[[Json], None]  # {phase, done, total, message}
OnEvent: TypeAlias = Callable[[str, Json], None]  # method and parameters of a notification


class Engine(Protocol):
    """A connection to the engine of one workspace, which is started when a call finds none running."""

    on_event: OnEvent | None

    def call(
        self, method: str, params: Json | None = None, *, on_progress: OnProgress | None = None
    ) -> Coroutine[Any, Any, Json]:
        """Carry out a request. Raises CodeciteError; cancelling the waiting task cancels it in the engine."""

    async def close(self) -> None:
        """Let go of the engine, which leaves by itself when nobody needs it."""


MakeEngine: TypeAlias = Callable[[Path], Engine]
