"""An engine that dies in the middle of a sync leaves nothing that the next one cannot go on from.

`tests/bench/killing.py` does the same hundreds of times on a real repository.
"""

from pathlib import Path

import pytest
from tests.bench.killing import Campaign, stopped

from codecite.engine.vector_index import EMBED_BATCH

KILLS = 5


def module(number: int) -> str:
    functions = (f"def f{number}_{n}(a):\n    return a + {number * n}\n" for n in range(12))
    return "\n\n".join(functions)


async def test_kill_after_kill_the_stores_are_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODECITE_HOME", str(tmp_path / "home"))
    tree = tmp_path / "tree"
    for number in range(40):
        path = tree / f"p{number % 4}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(module(number))
    campaign = Campaign(tree, seed=11)
    try:
        toll = await campaign.run(KILLS)
    finally:
        await stopped(tree)
    assert toll.kills == KILLS
    assert toll.embedded_twice <= KILLS * EMBED_BATCH  # what was in the model's hands
