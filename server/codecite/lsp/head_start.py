"""Engines start while this process still loads the protocol: most of a warm start was two programs loading in turn.

The first message says which folders the client opened, and that much can be read with nothing but JSON.
"""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from codecite.engine.launch import start_ahead
from codecite.lsp.uris import roots, to_path
from codecite.model.errors import CodeciteError

log = logging.getLogger(__name__)

_CHUNK = 65_536  # bytes a read
_LARGEST = 1_048_576  # bytes: a longer first message is not waited for here
_BLANK = b"\r\n\r\n"


def take(source: int) -> bytes:
    """Read the client's first message, start the engines of the folders it names, and return the bytes that were read.

    Whatever is wrong with the message or with an engine is found out again, and said, by those who serve the client.
    """
    data = b""
    while (body := _body(data)) is None and len(data) < _LARGEST:
        more = os.read(source, _CHUNK)
        if not more:
            return data
        data += more
    for folder in _folders(body or b""):
        try:
            start_ahead(folder)
        except (CodeciteError, OSError) as error:
            log.info("no engine was started ahead for %s: %s", folder, error)
    return data


def _body(data: bytes) -> bytes | None:
    """Return the body of the message at the start of `data`, empty for what is no message; None until it is whole."""
    head, blank, rest = data.partition(_BLANK)
    if not blank:
        return None
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
            return rest[:length] if len(rest) >= length else None
    return b""


def _folders(body: bytes) -> Iterator[Path]:
    """Yield the folders that an `initialize` request names, as `lifecycle.initialize` reads them."""
    try:
        message = json.loads(body)
    except ValueError:
        return
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict) or message.get("method") != "initialize":
        return
    listed, root_uri, root_path = (params.get(name) for name in ("workspaceFolders", "rootUri", "rootPath"))
    folders = [one.get("uri") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    for uri in roots([uri for uri in folders if isinstance(uri, str)], _text(root_uri), _text(root_path)):
        path = to_path(uri)
        if path is not None:
            yield Path(path)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
