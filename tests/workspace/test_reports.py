"""What an index command reports is what was done since it was asked for."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.workspace.conftest import Open


async def test_the_first_report_counts_the_work_that_the_engines_start_began(workspace: Open) -> None:
    here = await workspace({f"m{n}.py": f"def f{n}():\n    return {n}\n" for n in range(40)})
    assert here.first["blocks"] == {
        "total": 40,
        "added": 40,
        "changed": 0,
        "moved": 0,
        "removed": 0,
        "embedded": 40,
    }
    assert here.first["totals"] == {"embedded": 40}
    again = await here.index()
    assert again["blocks"] == {"total": 40, "added": 0, "changed": 0, "moved": 0, "removed": 0, "embedded": 0}


async def test_a_block_whose_code_changed_is_one_change_and_one_that_moved_one_move(workspace: Open) -> None:
    here = await workspace({"a.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n"})
    here.write({"a.py": "import os\n\n\ndef one():\n    return 10\n\n\ndef two():\n    return 2\n"})
    blocks = (await here.index())["blocks"]
    assert (blocks["added"], blocks["changed"], blocks["moved"], blocks["removed"]) == (1, 1, 1, 0)
    here.write({"a.py": "import os\n\n\ndef two():\n    return 2\n"})
    blocks = (await here.index())["blocks"]
    assert (blocks["added"], blocks["changed"], blocks["moved"], blocks["removed"], blocks["embedded"]) == (
        0,
        0,
        1,
        1,
        0,
    )


CODE = """def price(amount, rate):
    total = amount * (1 + rate)
    return total


def label(name):
    return "name: " + name
"""


def renamed_folder(root: Path) -> None:
    (root / "shop").rename(root / "store")


def comments_only(root: Path) -> None:
    text = CODE.replace("    total", "    # with tax\n    total").replace("def label", "# shown\ndef label")
    (root / "shop" / "a.py").write_text(text)


def format_only(root: Path) -> None:
    text = CODE.replace("amount * (1 + rate)", "amount*( 1+rate )").replace("\n\n\n", "\n\n\n\n\n")
    (root / "shop" / "a.py").write_bytes(text.replace("\n", "\r\n").encode())


def copied_file(root: Path) -> None:
    (root / "shop" / "copy.py").write_text(CODE)


@pytest.mark.parametrize(
    "step", [renamed_folder, comments_only, format_only, copied_file], ids=lambda step: step.__name__
)
async def test_what_says_the_same_is_not_embedded_again(
    workspace: Open, step: Callable[[Path], None]
) -> None:
    here = await workspace({"shop/a.py": CODE, "shop/deep/b.py": CODE.replace("price", "cost")})
    made = here.first["totals"]["embedded"]
    step(here.root)
    report = await here.index()
    assert report["totals"]["embedded"] == made
    texts: dict[str, str] = {}
    for block in await here.blocks():
        texts[block["path"]] = texts.get(block["path"], "") + block["text"]
    on_disk = {
        path.relative_to(here.root).as_posix(): path.read_bytes().decode() for path in here.root.rglob("*.py")
    }
    assert texts == on_disk
