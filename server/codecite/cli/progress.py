"""A progress bar on standard error, on a terminal only; `rich` is loaded when the first step is reported."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Protocol, Self, TextIO

from codecite.cli.messages import MESSAGES, Language, message


class Bar(Protocol):
    """What is used of `rich.progress.Progress`."""

    def start(self) -> None:
        """Begin to draw."""

    def stop(self) -> None:
        """Stop drawing."""


class ProgressBar:
    """Shows the engine's steps: `phase`, and `done` of `total` files or rows."""

    def __init__(self, stream: TextIO, language: Language) -> None:
        self._stream = stream
        self._language = language
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def report(self, step: Mapping[str, Any]) -> None:
        """Draw one step; where the stream is no terminal, draw nothing."""
        if self._bar is None:
            if not self._stream.isatty():
                return
            self._bar = self._start()
            self._task = self._bar.add_task("", total=None)
        phase, total = step.get("phase", ""), step.get("total") or None
        self._bar.update(
            self._task,
            description=message(self._language, phase if phase in MESSAGES else "working"),
            completed=step.get("done", 0),
            total=total,
        )

    def _start(self) -> Any:
        from rich import progress  # noqa: PLC0415 - as above
        from rich.console import Console  # noqa: PLC0415 - slow to load, seldom needed

        bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            console=Console(file=self._stream),
            transient=True,
        )
        bar.start()
        return bar
