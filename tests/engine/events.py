"""What a client under test hears."""

import asyncio


class Events:
    """The notifications that a client got; `named` waits for one."""

    def __init__(self) -> None:
        self._queues: dict[str, asyncio.Queue[dict[str, object]]] = {}

    def __call__(self, method: str, params: dict[str, object]) -> None:
        self._queues.setdefault(method, asyncio.Queue()).put_nowait(params)

    async def named(self, method: str) -> dict[str, object]:
        async with asyncio.timeout(20):
            return await self._queues.setdefault(method, asyncio.Queue()).get()
