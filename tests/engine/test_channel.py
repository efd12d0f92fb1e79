"""The channel under strangers, garbage and giants, spoken to without the client."""

import asyncio
import json
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.engine.channel import ENDPOINT_FILE, Endpoint, Stream, dial
from codecite.engine.protocol import (
    CLIENT_OLDER,
    ENGINE_OLDER,
    LARGEST_FRAME,
    LARGEST_GREETING,
    STRANGER,
    BadFrameError,
    Frames,
    Message,
    decode,
    encode,
    meet,
)
from codecite.engine.server import Server

texts = st.text('ab\n\r"\\\0é漢\u2028\udcff', max_size=20)
values = (
    texts | st.integers() | st.none() | st.lists(texts | st.floats(allow_nan=False, allow_infinity=False))
)


@given(st.lists(st.dictionaries(texts, values, max_size=3), max_size=5), st.integers(1, 40))
def test_messages_survive_any_cut_of_the_stream(messages: list[Message], piece: int) -> None:
    data = b"".join(map(encode, messages))
    frames = Frames(LARGEST_FRAME)
    received = []
    for start in range(0, len(data), piece):
        frames.feed(data[start : start + piece])
        while (message := frames.next()) is not None:
            received.append(message)
    assert received == messages


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"7", b'"hello"', b"\xff\xfe", b"[" * 100_000, b"GET / HTTP/1.1"]
)
def test_what_is_no_message_is_a_bad_frame(line: bytes) -> None:
    with pytest.raises(BadFrameError):
        decode(line)


@pytest.mark.parametrize(
    ("engine", "client", "met"),
    [
        ((1, 1), [1, 1], 1),
        ((1, 3), [2, 5], 3),
        ((2, 9), [1, 4], 4),
        ((1, 1), [2, 3], ENGINE_OLDER),
        ((2, 3), [1, 1], CLIENT_OLDER),
    ],
)
def test_protocol_ranges_meet_at_the_highest_of_both(
    engine: tuple[int, int], client: list[int], met: int | str
) -> None:
    assert meet(engine, client) == met


@pytest.mark.parametrize("theirs", [None, 1, [1], [2, 1], ["1", "2"], [1, 2, 3], {}])
def test_what_is_no_range_is_refused(theirs: object) -> None:
    with pytest.raises(BadFrameError):
        meet((1, 1), theirs)


@asynccontextmanager
async def raw(server: Server) -> AsyncIterator[tuple[Stream, asyncio.StreamWriter]]:
    """Connect without a greeting."""
    stream = await dial(server.endpoint)
    try:
        yield stream, stream._writer
    finally:
        await stream.close()


def hello(server: Server, **changes: object) -> Message:
    params = {"protocol": [1, 1], "token": server.endpoint.token, "client": "test", "version": "0"} | changes
    return {"id": 1, "method": "hello", "params": params}


async def check_it_still_serves(server: Server) -> None:
    async with raw(server) as (stream, _):
        await stream.send(hello(server))
        greeting = await stream.receive()
        assert greeting is not None
        assert greeting["result"]["workspace"] == str(server.workspace)
        await stream.send({"id": "two", "method": "echo", "params": {"n": 1}})
        assert await stream.receive() == {"id": "two", "result": {"n": 1, "client": "test"}}


@pytest.mark.parametrize("token", ["", "guess", "\udcff", None, 7, ["x"]])
@pytest.mark.parametrize("method", ["hello", "stop"])
async def test_a_wrong_token_is_refused(server: Server, method: str, token: object) -> None:
    async with raw(server) as (stream, _):
        await stream.send(hello(server, token=token) | {"method": method})
        reply = await stream.receive()
        assert reply is not None
        assert reply["error"]["code"] == STRANGER
        assert await stream.receive() is None
    await check_it_still_serves(server)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00\xff" * 10 + b"\n",
        b'{"id": 1, "method": "echo"}\n',
        b'{"id": 1, "method": "search", "params": {"token": 1}}\n',
        b'{"id": [1], "method": "hello", "params": {}}\n',
        b'{"id": 1, "method": "hello", "params": []}\n',
        b"{" + b"x" * (LARGEST_GREETING + 1),
    ],
    ids=["http", "binary", "no token", "odd token", "odd id", "odd params", "endless"],
)
async def test_garbage_before_the_greeting_ends_that_connection_only(server: Server, data: bytes) -> None:
    async with raw(server) as (stream, writer):
        writer.write(data)
        while await stream.receive() is not None:
            pass  # a refusal may be said first
    await check_it_still_serves(server)


@pytest.mark.parametrize(
    "data",
    [
        b"not json\n",
        b'{"id": {}, "method": "echo", "params": {}}\n',
        b'{"id": 5, "method": "wait"}\n{"id": 5, "method": "wait"}\n',
        b"{" + b"x" * (LARGEST_FRAME + 1),
    ],
    ids=["garbage", "odd id", "id twice", "giant"],
)
async def test_garbage_after_the_greeting_ends_that_connection_only(server: Server, data: bytes) -> None:
    async with raw(server) as (stream, writer):
        await stream.send(hello(server))
        assert await stream.receive() is not None
        writer.write(data)
        while (message := await stream.receive()) is not None:
            assert message.get("method") == "waiting"
    await check_it_still_serves(server)


@pytest.mark.parametrize(
    "data",
    [
        {"method": "cancel"},
        {"method": "cancel", "params": []},
        {"method": "cancel", "params": {"id": {}}},
        {"method": "cancel", "params": {"id": 99}},
        {"method": "of/tomorrow", "params": {}},
    ],
)
async def test_notifications_without_sense_are_passed_over(server: Server, data: Message) -> None:
    async with raw(server) as (stream, _):
        await stream.send(hello(server))
        await stream.receive()
        await stream.send(data)
        await stream.send({"id": 2, "method": "ping"})
        assert await stream.receive() == {"id": 2, "result": {}}


async def test_a_refused_version_may_go_on_to_stop_the_engine(server: Server) -> None:
    async with raw(server) as (stream, _):
        await stream.send(hello(server, protocol=[7, 9]))
        reply = await stream.receive()
        assert reply is not None
        assert reply["error"]["code"] == ENGINE_OLDER
        await stream.send({"id": 2, "method": "stop", "params": {"token": server.endpoint.token}})
        assert await stream.receive() == {"id": 2, "result": {"stopped": True}}
    assert server.why is not None


async def test_a_client_that_never_reads_does_not_hold_up_the_others(server: Server) -> None:
    async with raw(server) as (stream, _):
        await stream.send(hello(server))
        await stream.receive()
        for number in range(20):
            await stream.send({"id": number, "method": "long", "params": {"bytes": 1_000_000}})
        server.hub.broadcast("said", {"text": "x" * 1_000_000})
        await check_it_still_serves(server)


async def test_the_endpoint_is_this_users_secret(server: Server) -> None:
    path = server.store / ENDPOINT_FILE
    assert Endpoint.read(server.store) == server.endpoint
    assert len(server.endpoint.token) >= 43  # 256 bits
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"protocol": [1], "address": "unix:/x"})])
async def test_a_broken_endpoint_file_is_none(server: Server, text: str) -> None:
    (server.store / ENDPOINT_FILE).write_text(text)
    assert Endpoint.read(server.store) is None
