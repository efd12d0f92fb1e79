"""A question that cannot wait has the files that it is about read first."""

from pathlib import Path

import pytest

from codecite.adapters.disk import WorkTree
from codecite.engine.file_queue import FileQueue
from codecite.engine.first_answer import prefer_matching
from codecite.engine.wire import FileRequest

FILES = {
    "a/mentions.py": "from b import settle_account\nsettle_account(1)\n",
    "b/defines.py": "def settle_account(n):\n    return n\n",
    "c/common.py": "account = 1\n" * 50,
    "d/结算.py": "# 结算账户\nx = 1\n",
    "e/other.py": "y = 2\n",
    "f/settle/account.go": "package x\n\nfunc (s *Store) Settle_Account() {}\n",
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where is settle_account defined?", "b/defines.py"),
        ("SETTLE_ACCOUNT", "b/defines.py"),
        ("结算账户", "d/结算.py"),
        ("what is in other", "e/other.py"),
    ],
)
def test_the_defining_file_is_read_next(tmp_path: Path, question: str, first: str) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    queue = FileQueue(FileRequest(path, "") for path in sorted(FILES))
    preferred = prefer_matching(question, queue, WorkTree(tmp_path))
    assert preferred[0] == first
    order = [request.path for request in queue]
    assert order[: len(preferred)] == preferred
    assert sorted(order) == sorted(FILES)


def test_a_question_about_nothing_here_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    queue = FileQueue([FileRequest("a.py", ""), FileRequest("vanished.py", "")])
    assert prefer_matching("dialysis schedule", queue, WorkTree(tmp_path)) == []
    assert prefer_matching("?!", queue, WorkTree(tmp_path)) == []
    assert [request.path for request in queue] == ["a.py", "vanished.py"]
