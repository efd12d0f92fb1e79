"""What an index command reports is what was done since it was asked for."""

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
