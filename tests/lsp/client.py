"""A client of the protocol that sees every message as it is, over any stream."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

PATIENCE = 20.0  # seconds; only a failing test waits so long
SILENCE = object()  # a client that never answers
CANCELLED, INVALID_PARAMS, INVALID_REQUEST, FAILED = -32800, -32602, -32600, -32803


class Client:
    """Sends with `write`, reads from `reader`. `replies` says what it answers the server's own requests."""

    def __init__(self, reader: asyncio.StreamReader, write: Callable[[bytes], object]) -> None:
        self.replies: dict[str, Any] = {}
        self.received: list[Json] = []
        self._reader = reader
        self._write = write
        self._arrived = asyncio.Condition()
        self._last = 0
        self._reading = asyncio.create_task(self._read())

    def send(self, message: Json) -> None:
        """Send any message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def start(self, method: str, params: Any = None) -> int:
        """Send a request and return its id."""
        self._last += 1
        self.send({"id": self._last, "method": method, "params": params})
        return self._last

    async def answer(self, number: int) -> Json:
        """Return the response to a request, whatever it is."""
        return await self.wait_for(lambda message: message.get("id") == number and "method" not in message)

    async def request(self, method: str, params: Any = None) -> Any:
        """Return the result of a request."""
        answer = await self.answer(self.start(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    async def error(self, method: str, params: Any = None) -> Json:
        """Return the error of a request."""
        answer = await self.answer(self.start(method, params))
        error: Json = answer["error"]
        return error

    async def wait_for(self, wanted: Callable[[Json], bool]) -> Json:
        """Return the first message, received before or after this call, that is wanted."""
        async with asyncio.timeout(PATIENCE), self._arrived:
            while True:
                for message in self.received:
                    if wanted(message):
                        return message
                await self._arrived.wait()

    async def told(self, method: str) -> Json:
        """Return the first notification or request of this name from the server."""
        return await self.wait_for(lambda message: message.get("method") == method)

    def all_told(self, method: str) -> list[Any]:
        """Return the parameters of all notifications and requests of this name until now."""
        return [message["params"] for message in self.received if message.get("method") == method]

    async def initialize(self, *folders: Path | str, **more: Any) -> Json:
        """Greet the server with these workspace folders; `more` are parameters to add or replace."""
        uris = [folder if isinstance(folder, str) else folder.as_uri() for folder in folders]
        params = {
            "processId": os.getpid(),
            "rootUri": None,
            "capabilities": {},
            "workspaceFolders": [{"uri": uri, "name": uri} for uri in uris] or None,
            **more,
        }
        result: Json = await self.request("initialize", params)
        self.notify("initialized", {})
        return result

    async def calls(self) -> list[str]:
        """Return what the scripted engine of the first folder was called for."""
        status = await self.request("codecite/status")
        calls: list[str] = status["workspaces"][0]["calls"]
        return calls

    async def finished(self) -> None:
        """Wait for the end of what the server says."""
        async with asyncio.timeout(PATIENCE):
            await self._reading

    async def _read(self) -> None:
        while header := await self._reader.readline():
            assert header.startswith(b"Content-Length: "), header
            while (await self._reader.readline()).strip():
                pass
            message = json.loads(await self._reader.readexactly(int(header.split(b":")[1])))
            if "id" in message and "method" in message:
                reply = self.replies.get(message["method"], {"result": None})
                if reply is not SILENCE:
                    self.send({"id": message["id"], **reply})
            async with self._arrived:
                self.received.append(message)
                self._arrived.notify_all()


def opened(uri: str, text: str, version: int = 1) -> Json:
    """Return the parameters of `textDocument/didOpen`."""
    return {"textDocument": {"uri": uri, "languageId": "python", "version": version, "text": text}}
