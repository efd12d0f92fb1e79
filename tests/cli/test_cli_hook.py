"""`codecite hook`: what it prints, and what scripts read."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.collect.repository import Repository

if TYPE_CHECKING:
    from tests.cli.conftest import Codecite


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path).start()
    made.put(".git/hooks/post-merge", "#!/usr/bin/env python3\n")
    return made


def test_what_was_done_is_a_line_a_hook(codecite: "Codecite", repository: Repository) -> None:
    folder = repository.root / ".git/hooks"
    run = codecite("hook", "install")
    why = "it is no shell script; have it run `codecite hook nudge` by itself: #!/usr/bin/env python3"
    assert (run.code, run.err, run.engines.opened) == (0, "", 0)
    assert run.out.splitlines() == [
        f"installed   {folder / 'post-commit'}",
        f"left alone  {folder / 'post-merge'}  ({why})",
        f"installed   {folder / 'post-checkout'}",
        f"installed   {folder / 'post-rewrite'}",
    ]


def test_chinese_is_spoken(
    codecite: "Codecite", repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert codecite("hook", "install").out.startswith("已安装")
    codecite("hook", "remove")
    assert "没有这个钩子" in codecite("hook", "remove").out


def test_scripts_get_states_and_reasons(codecite: "Codecite", repository: Repository) -> None:
    document = json.loads(codecite("hook", "install", "--json").out)
    assert document["workspace"] == str(repository.root)
    folder = repository.root / ".git/hooks"
    assert document["hooks"][:2] == [
        {"name": "post-commit", "path": str(folder / "post-commit"), "state": "installed"},
        {
            "name": "post-merge",
            "path": str(folder / "post-merge"),
            "state": "left-alone",
            "reason": "no-shell-script",
            "about": "#!/usr/bin/env python3",
            "detail": "it is no shell script; have it run `codecite hook nudge` by itself: #!/usr/bin/env python3",
        },
    ]


def test_a_nudge_says_nothing_and_starts_nothing(codecite: "Codecite", tmp_path: Path) -> None:
    run = codecite("hook", "nudge", "--workspace", str(tmp_path))
    assert (run.code, run.out, run.err, run.engines.opened) == (0, "", "", 0)
    assert run.engines.calls == [("nudge", {"folder": tmp_path})]


def test_no_repository_is_bad_input(codecite: "Codecite", tmp_path: Path) -> None:
    run = codecite("hook", "install")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"codecite: {tmp_path} is in no git repository; ")
