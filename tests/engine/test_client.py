"""The client: calls, what comes back, what comes unasked, and engines of other versions."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.events import Events

from codecite.engine.channel import Endpoint
from codecite.engine.client import LINK_LOST, EngineClient
from codecite.engine.launch import stop
from codecite.engine.locations import store_path
from codecite.engine.server import Server
from codecite.model.errors import BadInput, CodeciteError, EngineGone, Unavailable

MakeEvents = Callable[[], Events]


async def connect(server: Server, client: str = "cli") -> EngineClient:
    return await EngineClient.connect(server.workspace, client=client, start=False)


async def test_a_call_returns_what_the_service_returned(server: Server) -> None:
    async with await connect(server, "terminal") as engine:
        odd = {"text": "naïve \udcff 漢字 \u2028", "nested": [{"n": 1.5, "none": None}]}
        assert await engine.call("echo", odd) == odd | {"client": "terminal"}
        assert engine.engine["workspace"] == str(server.workspace)


@pytest.mark.parametrize(
    ("how", "kind", "message", "mend"),
    [
        ("known", BadInput, "the question is empty", "ask something"),
        ("unknown", CodeciteError, "internal error: RuntimeError: two lines", "see "),
    ],
)
async def test_an_error_arrives_as_its_kind(
    server: Server, how: str, kind: type[CodeciteError], message: str, mend: str
) -> None:
    async with await connect(server) as engine:
        with pytest.raises(kind) as caught:
            await engine.call("fail", {"how": how})
        assert type(caught.value) is kind
        assert caught.value.message == message
        assert caught.value.mend.startswith(mend)


async def test_results_of_many_megabytes_and_small_ones_beside_them(server: Server) -> None:
    size = 20_000_000
    async with await connect(server) as engine:
        large, *small = await asyncio.gather(
            engine.call("long", {"bytes": size}), *(engine.call("echo", {"n": n}) for n in range(50))
        )
        assert len(large["text"]) == size
        assert [reply["n"] for reply in small] == list(range(50))
        assert len((await engine.call("echo", {"text": "y" * size}))["text"]) == size


async def test_a_result_too_large_to_send_fails_that_call_only(server: Server) -> None:
    async with await connect(server) as engine:
        with pytest.raises(BadInput, match="too large"):
            await engine.call("long", {"bytes": 65 * 1024 * 1024})
        assert await engine.call("ping") == {}


async def test_progress_is_thinned_and_ends_with_the_last(server: Server) -> None:
    seen: list[dict[str, object]] = []
    async with await connect(server) as engine:
        assert await engine.call("count", {"to": 50_000}, on_progress=seen.append) == {"counted": 50_000}
    assert seen[-1] == {"phase": "count", "done": 50_000, "total": 50_000, "message": ""}
    assert len(seen) < 500


async def test_a_progress_callback_that_raises_harms_only_itself(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["exception"]))

    def broken(_: dict[str, object]) -> None:
        raise ZeroDivisionError

    async with await connect(server) as engine:
        assert await engine.call("count", {"to": 1}, on_progress=broken) == {"counted": 1}
    assert isinstance(reported[0], ZeroDivisionError)


async def test_events_reach_every_client(server: Server, events: MakeEvents) -> None:
    async with await connect(server) as one, await connect(server) as two:
        one.on_event, two.on_event = heard = events(), events()
        await one.call("broadcast", {"state": "ready"})
        assert [await ears.named("said") for ears in heard] == [{"state": "ready"}] * 2


async def test_cancelling_a_call_reaches_the_service(server: Server, events: MakeEvents) -> None:
    async with await connect(server, "asker") as asker, await connect(server) as watcher:
        watcher.on_event = heard = events()
        asked = asyncio.create_task(asker.call("wait"))
        await heard.named("waiting")
        asked.cancel()
        assert await heard.named("cancelled") == {"client": "asker"}
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert await asker.call("ping") == {}


async def test_hanging_up_cancels_what_runs(server: Server, events: MakeEvents) -> None:
    async with await connect(server) as watcher:
        watcher.on_event = heard = events()
        asker = await connect(server, "asker")
        asked = asyncio.create_task(asker.call("wait"))
        await heard.named("waiting")
        await asker.close()
        assert await heard.named("cancelled") == {"client": "asker"}
        with pytest.raises(EngineGone):
            await asked


async def test_stopping_answers_what_runs_and_tells_who_listens(server: Server, events: MakeEvents) -> None:
    async with await connect(server) as asker:
        asker.on_event = heard = events()
        asked = asyncio.create_task(asker.call("wait"))
        await heard.named("waiting")
        async with await connect(server, "terminal") as stopper:
            assert await stopper.call("stop") == {"stopped": True}
        await server.close()
        with pytest.raises(EngineGone, match="stopped by terminal"):
            await asked
        await heard.named(LINK_LOST)


async def test_without_an_engine_and_without_leave_to_start_one(workspace: Path) -> None:
    with pytest.raises(EngineGone, match="no engine runs"):
        await EngineClient.connect(workspace, start=False)
    assert not store_path(workspace).exists()


async def test_a_range_that_overlaps_shares_the_engine(workspace: Path, command: tuple[str, ...]) -> None:
    newer = (*command, "--protocol", "2", "4")
    one = await EngineClient.connect(workspace, command=newer, protocol=(3, 5))
    two = await EngineClient.connect(workspace, command=command, protocol=(1, 2))
    async with one, two:
        assert one.engine["pid"] == two.engine["pid"]
        assert (one.engine["protocol"], two.engine["protocol"]) == (4, 2)


async def test_an_engine_that_is_too_old_is_replaced(workspace: Path, command: tuple[str, ...]) -> None:
    async with await EngineClient.connect(workspace, command=command) as old:
        newer = (*command, "--protocol", "2", "3")
        async with await EngineClient.connect(workspace, command=newer, protocol=(2, 3)) as new:
            assert new.engine["pid"] != old.engine["pid"]
            assert new.engine["protocol"] == 3


async def test_an_engine_that_is_too_new_stays(workspace: Path, command: tuple[str, ...]) -> None:
    newer = (*command, "--protocol", "2", "3")
    async with await EngineClient.connect(workspace, command=newer, protocol=(2, 3)) as new:
        with pytest.raises(Unavailable, match="newer version") as caught:
            await EngineClient.connect(workspace, command=command)
        assert "update codecite" in caught.value.mend
        assert await new.call("ping") == {}


async def test_an_old_client_may_still_stop_a_new_engine(workspace: Path, command: tuple[str, ...]) -> None:
    newer = (*command, "--protocol", "2", "3")
    async with await EngineClient.connect(workspace, command=newer, protocol=(2, 3)):
        assert await stop(workspace)
        assert Endpoint.read(store_path(workspace)) is None
