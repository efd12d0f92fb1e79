"""Progress in the editor: only where the client shows it, never waited for.

A token that came with a request is used for that request. Otherwise the client is asked to create one, and
until it has agreed nothing is sent; an error or silence means no bar, and the work goes on all the same.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any
from uuid import uuid4

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from codecite.lsp.engines import Json
from codecite.lsp.params import Token
from codecite.lsp.texts import TEXTS, say
from codecite.model.texts import Script


class ProgressBars:
    """Makes the bars of one client and hears when the user cancels one."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._cancels: dict[Token, Callable[[], object]] = {}

    def bar(
        self,
        title: str,
        token: Token | None,
        cancel: Callable[[], object] | None,
        script: Script,
        *,
        create: bool,
    ) -> "Bar":
        """Return a bar that is not shown yet; without a token only if `create` and the client allow it.

        `cancel` is called when the user presses its button.
        """
        window = self._server.client_capabilities.window
        create = create and token is None and bool(window and window.work_done_progress)
        bar = Bar(
            self._server,
            title,
            str(uuid4()) if create else token,
            script,
            create=create,
            cancellable=cancel is not None,
        )
        if cancel is not None and bar.token is not None:
            self._cancels[bar.token] = cancel
        return bar

    def end(self, bar: "Bar") -> None:
        """Take a bar away."""
        bar.end()
        if bar.token is not None:
            self._cancels.pop(bar.token, None)

    def cancel(self, token: Token) -> None:
        """Do what the bar with this token was given to cancel; an unknown one is left alone."""
        if cancel := self._cancels.get(token):
            cancel()


class Bar:
    """One bar: asked for at the first report, begun when the client agrees, ended once."""

    def __init__(
        self,
        server: LanguageServer,
        title: str,
        token: Token | None,
        script: Script,
        *,
        create: bool,
        cancellable: bool,
    ) -> None:
        self.token = token
        self._server = server
        self._title = title
        self._script = script
        self._create = create
        self._cancellable = cancellable
        self._reported = False
        self._begun = False
        self._ended = token is None
        self._message = ""

    def report(self, step: Json) -> None:
        """Show a step of the engine: `phase`, and `done` of `total` (0 while it is unknown)."""
        if self._ended:
            return
        self._message = _words(step, self._script)
        if self._begun:
            self._send(types.WorkDoneProgressReport(message=self._message))
        elif self._create and not self._reported:
            request = types.WorkDoneProgressCreateParams(token=self.token or "")
            answer: Future[Any] = self._server.protocol.send_request(
                types.WINDOW_WORK_DONE_PROGRESS_CREATE, request
            )
            answer.add_done_callback(self._agreed)
        elif not self._create:
            self._begin()
        self._reported = True

    def end(self) -> None:
        """Take the bar away, if it was ever shown."""
        if self._begun and not self._ended:
            self._send(types.WorkDoneProgressEnd())
        self._ended = True

    def _agreed(self, answer: "Future[Any]") -> None:
        if not self._ended and not answer.cancelled() and answer.exception() is None:
            self._begin()

    def _begin(self) -> None:
        self._begun = True
        begin = types.WorkDoneProgressBegin(
            title=self._title, cancellable=self._cancellable, message=self._message
        )
        self._send(begin)

    def _send(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        self._server.progress(types.ProgressParams(token=self.token or "", value=value))


def _words(step: Json, script: Script) -> str:
    phase, total = str(step.get("phase", "")), step.get("total")
    what = say(script, phase) if phase in TEXTS else str(step.get("message") or phase)
    return say(script, "step", what=what, done=step.get("done", 0), total=total) if total else what
