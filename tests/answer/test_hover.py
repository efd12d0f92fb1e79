"""The words of a hover: what comes from code stays data, in either kind of text and either language."""

import re
from typing import Any
from urllib.parse import quote

import pytest

from codecite.answer.hover import Hover, escaped, first_paragraph

Json = dict[str, Any]


def citation(path: str = "bank/ledger.py", line: int = 4, symbol: str = "Ledger.close") -> Json:
    focus = {"line": line, "column": 4, "length": 5}
    return {"path": path, "start_line": line, "symbol": symbol, "language": "python", "focus": focus}


def defined(doc: str = "Close a month.", signature: str = "def close(self, month)", **more: Any) -> Json:
    return {"citation": citation(**more), "kind": "method", "signature": signature, "doc": doc}


def told(**more: Any) -> Json:
    return {
        "name": "close", "reason": "receiver", "total": 1, "definitions": [defined()], "receiver_unknown": False,
        "mentions": None, "imported_from": "", "lacks": [], **more,
    }  # fmt: skip


def said(description: Json, script: Any = "en", *, markdown: bool = True) -> str:
    return Hover(
        description, lambda one: f"file:///{quote(one['path'])}#L{one['start_line']}", script, markdown
    ).text()


MENTIONS = {"places": 3, "files": 2, "complete": True, "code": [citation("a.py", 1), citation("b.py", 2)], "tests": [citation("t.py", 9)]}  # fmt: skip

WHOLE = [
    (
        "en", True, told(mentions=MENTIONS),
        ("```python\ndef close(self, month)\n```\n\nmethod `Ledger.close`, defined in [bank/ledger.py:4](file:///bank/ledger.py#L4)"
        "\n\nClose a month.\n\n`close` is mentioned in 3 places in 2 files: [a.py:1](file:///a.py#L1), [b.py:2](file:///b.py#L2);"
        " tests: [t.py:9](file:///t.py#L9)"),
    ),
    (
        "zh", False, told(mentions=MENTIONS),
        ("def close(self, month)\n\n方法 Ledger.close，定义于 bank/ledger.py:4\n\nClose a month.\n\n"
        "close 在 2 个文件中被提到 3 处：a.py:1、b.py:2；测试：t.py:9"),
    ),
    (
        "en", False, told(reason="itself", mentions={**MENTIONS, "places": 0, "code": [], "tests": []}, lacks=["building"]),
        ("def close(self, month)\n\nmethod Ledger.close\n\nClose a month.\n\nclose is mentioned nowhere else.\n\n"
        "The index is still being built: there may be more."),
    ),
    (
        "en", False, told(mentions={**MENTIONS, "places": 1, "files": 1, "complete": False, "code": [], "tests": []}),
        ("def close(self, month)\n\nmethod Ledger.close, defined in bank/ledger.py:4\n\nClose a month.\n\n"
        "close is mentioned in at least 1 place in 1 file"),
    ),
    (
        "en", True, told(reason="only", receiver_unknown=True, definitions=[defined(doc="")]),
        ("```python\ndef close(self, month)\n```\n\nmethod `Ledger.close`, defined in [bank/ledger.py:4](file:///bank/ledger.py#L4)"
        "\n\n*This is the only `close` in the workspace; what it is called on is not known.*"),
    ),
    (
        "en", False, told(reason=None, total=5, definitions=[defined(), defined(path="b.py", symbol="Box.close")]),
        ("close has 5 definitions in the workspace; which one is meant is not certain:\n\n"
        "- bank/ledger.py:4: method Ledger.close\n- b.py:4: method Box.close\n- and 3 more"),
    ),
    (
        "zh", True, told(reason=None, imported_from="os"),
        "此文件从 `os` 导入 `close`；工作区中有 1 处同名定义：\n\n- [bank/ledger.py:4](file:///bank/ledger.py#L4)：方法 `Ledger.close`",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("script", "markdown", "description", "expected"), WHOLE)
def test_whole(script: str, markdown: bool, description: Json, expected: str) -> None:
    assert said(description, script, markdown=markdown) == expected


HOSTILE = [
    "<img src=x onerror=alert(1)> <b>bold</b>",
    "![shot](https://evil.example/x.png) [run](command:workbench.action.terminal.new)",
    "`code` *stars* _lines_ ~~gone~~ | a | b | &lt; $(zap)",
    "# heading",
    "1. list",
    "see https://evil.example or www.evil.example or me@evil.example",
]
ACTIVE = ("<img", "<b>", "![", "](", "https://", "www.evil", "me@evil", "&lt;", "$(")


@pytest.mark.parametrize("doc", HOSTILE)
def test_documentation_is_data(doc: str) -> None:
    text = said(told(definitions=[defined(doc=doc)]))
    body = text.split("\n\n")[2]
    bare = re.sub(r"\\.", "", body)
    assert not [one for one in ACTIVE if one in bare], body
    assert not body.startswith(("#", "1."))
    assert said(told(definitions=[defined(doc=doc)]), markdown=False).split("\n\n")[2] == doc


def test_names_and_signatures_cannot_leave_their_fence() -> None:
    signature = "def f(x='```\n![](command:x)')"
    text = said(told(definitions=[defined(signature=signature, symbol="a`b", path="a](command:x)[`\n.py")]))
    assert text.startswith(f"````python\n{signature}\n````\n")
    after = text.split("````")[2]
    assert "](command:x)" not in re.sub(r"\\.", "", after)
    assert "`` a`b ``" in after


PARAGRAPHS = [
    ("One.\n\nTwo.", "One."),
    ("  One\n   goes on.\n\n", "One goes on."),
    ("Close it.\n:param month: which", "Close it."),
    ("Close it.\n@param month which", "Close it."),
    ("", ""),
    ("word " * 200, "word " * 79 + "word …"),
]


@pytest.mark.parametrize(("doc", "expected"), PARAGRAPHS)
def test_first_paragraph(doc: str, expected: str) -> None:
    assert first_paragraph(doc) == expected


def test_plain_words_are_left_alone() -> None:
    assert escaped("Close a month, as of 2024 (see below).") == "Close a month, as of 2024 (see below)."
