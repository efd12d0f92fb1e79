"""Which definition is told of at a place, in a workspace with everything real. A case marks its place with `^`."""

from typing import Any

from tests.workspace.conftest import Json, Open, Workspace

LEDGER = '''"""The ledger."""


class Ledger:
    """Holds the entries of a year."""

    def close(self, month):
        """Close a month.

        Nothing can be booked into it any more.
        """
        return self.seal(month)

    def seal(self, month):
        self.stamp = month
        return self.stamp

    def book(self, entry):
        self.close(entry)
        self.flush()


class Drawer:
    def close(self):
        return 1


def audit_all(ledgers):
    """Audit."""

    def close(one):
        return one

    return [close(one) for one in ledgers]


def stamp():
    return 1


TAX_RATE = 19
'''
FILES: dict[str, str | bytes] = {
    "bank/__init__.py": "from .ledger import Ledger\n",
    "bank/ledger.py": LEDGER,
    "bank/other.py": "def audit_all(x):\n    return x\n\n\ndef lonely_thing():\n    return 1\n\n\nclass Vault:\n    def unlock_all(self):\n        return 1\n\n    def stamp(self):\n        return 1\n",
    "tests/test_ledger.py": "from bank.ledger import Ledger\n\n\ndef test_close():\n    assert Ledger().close(1)\n\n\nclass Fake:\n    def only_in_tests(self):\n        pass\n",
    "web/list.ts": "export function renderList(items: string[]): string {\n  return items.join();\n}\nexport class Box { open() { return 1; } }\n",
    "web/index.ts": "export { renderList } from './list';\n",
    "go/go.mod": "module example.com/shop\n\ngo 1.22\n",
    "go/store/store.go": "package store\n\nfunc Open(name string) int {\n\treturn len(name)\n}\n",
    "src/lib.rs": "pub mod vault;\n\npub fn start_vault() -> u8 {\n    vault::unlock(1)\n}\n",
    "src/vault.rs": "/// Unlocks.\npub fn unlock(code: u8) -> u8 {\n    code\n}\n",
    "App.java": "class App {\n  /** Runs. */\n  void run() { help(); }\n  void help() {}\n}\n",
    "README.md": "# Close\n\nTo close a month call `audit_all` or Ledger.close, see lonely_thing.\n",
    "conf.toml": "[close]\nname = 1\nlonely_thing = 2\n",
    "账本.py": "def 结账(月份):\n    return 月份\n\n\ndef main():\n    return 结账(1)\n",
}

# The text of a file, `^` before the name that is pointed at; then (reason, symbol, path) or (None, number of
# definitions, path of the first), or None where nothing is to be said.
HERE: dict[str, tuple[str, str, tuple[Any, ...] | None]] = {
    "a method of one's own class": ("bank/ledger.py", LEDGER.replace("self.close(", "self.^close("), ("receiver", "Ledger.close", "bank/ledger.py")),
    "a method of one's own class, elsewhere": ("bank/ledger.py", LEDGER.replace("self.seal(", "self.^seal("), ("receiver", "Ledger.seal", "bank/ledger.py")),
    "an attribute that no definition makes": ("bank/ledger.py", LEDGER.replace("return self.stamp", "return self.^stamp"), None),
    "a method that nothing here defines": ("bank/ledger.py", LEDGER.replace("self.flush", "self.^flush"), None),
    "the definition itself": ("bank/ledger.py", LEDGER.replace("def seal", "def ^seal"), ("itself", "Ledger.seal", "bank/ledger.py")),
    "the end of a name": ("bank/ledger.py", LEDGER.replace("def seal(", "def seal^("), ("itself", "Ledger.seal", "bank/ledger.py")),
    "a local function": ("bank/ledger.py", LEDGER.replace("[close(", "[^close("), ("scope", "audit_all.close", "bank/ledger.py")),
    "of the same file": ("bank/ledger.py", LEDGER + "\n\nx = ^audit_all([])\n", ("scope", "audit_all", "bank/ledger.py")),
    "a variable of the same file": ("bank/ledger.py", LEDGER + "\n\nx = ^TAX_RATE\n", ("scope", "TAX_RATE", "bank/ledger.py")),
    "imported by name": ("run.py", "from bank.ledger import audit_all\n\n^audit_all(1)\n", ("import", "audit_all", "bank/ledger.py")),
    "imported in parentheses": ("run.py", "from bank.other import (\n    lonely_thing,  # one\n    audit_all,\n)\n\n^audit_all(1)\n", ("import", "audit_all", "bank/other.py")),
    "the import itself": ("run.py", "from bank.other import ^audit_all\n", ("import", "audit_all", "bank/other.py")),
    "renamed by the import": ("run.py", "from bank.other import audit_all as check\n\n^check(1)\n", ("import", "audit_all", "bank/other.py")),
    "imported relatively": ("bank/new.py", "from .other import audit_all\n\n^audit_all(1)\n", ("import", "audit_all", "bank/other.py")),
    "re-exported by a package": ("run.py", "from bank import Ledger\n\n^Ledger()\n", ("import", "Ledger", "bank/ledger.py")),
    "a module's": ("run.py", "from bank import other\n\nother.^audit_all(1)\n", ("import", "audit_all", "bank/other.py")),
    "a module's by another name": ("run.py", "import bank.other as o\n\no.^audit_all(1)\n", ("import", "audit_all", "bank/other.py")),
    "a dotted module's": ("run.py", "import bank.other\n\nbank.other.^audit_all(1)\n", ("import", "audit_all", "bank/other.py")),
    "a class's": ("run.py", "from bank import Ledger\n\nLedger.^close(1)\n", ("receiver", "Ledger.close", "bank/ledger.py")),
    "from a foreign module": ("run.py", "from shutil import audit_all\n\n^audit_all(1)\n", (None, 2, "bank/ledger.py")),
    "of a foreign module": ("run.py", "import os\n\nos.^close(1)\n", None),
    "a name that is not imported": ("run.py", "def f(lonely_thing):\n    return ^lonely_thing\n", None),
    "a star import": ("run.py", "from bank.other import *\n\n^lonely_thing()\n", ("only", "lonely_thing", "bank/other.py")),
    "of an unknown object": ("run.py", "def f(x):\n    x.^close()\n", (None, 3, "bank/ledger.py")),
    "the only one, of an unknown object": ("run.py", "def f(x):\n    x.^unlock_all()\n", ("only", "Vault.unlock_all", "bank/other.py")),
    "of a result": ("run.py", "def f(x):\n    x()[0].^unlock_all()\n", ("only", "Vault.unlock_all", "bank/other.py")),
    "only in tests, used in code": ("run.py", "def f(x):\n    x.^only_in_tests()\n", None),
    "a keyword": ("run.py", "^def f():\n    pass\n", None),
    "a blank": ("run.py", "def f(): ^ \n", None),
    "a word of a comment": ("run.py", "# how to ^close a month\n", None),
    "code in a comment": ("run.py", "# see ^lonely_thing\n", ("only", "lonely_thing", "bank/other.py")),
    "code in a docstring": ("run.py", 'def f():\n    """Like `^Vault`."""\n', ("only", "Vault", "bank/other.py")),
    "a word of a docstring": ("run.py", 'def f():\n    """Like ^Vault."""\n', None),
    "a word of a string": ("run.py", "x = 'a ^stamp'\n", None),
    "a word of a document": ("README.md", "# x\n\nTo ^close a month\n", None),
    "a heading": ("README.md", "# ^Close\n", None),
    "code of a document": ("README.md", "# x\n\nsee ^lonely_thing\n", ("only", "lonely_thing", "bank/other.py")),
    "a class's, in a document": ("README.md", "# x\n\nsee Ledger.^close\n", ("receiver", "Ledger.close", "bank/ledger.py")),
    "a key of a table": ("conf.toml", "[^close]\nname = 1\n", None),
    "TypeScript": ("web/page.ts", "import { renderList as r } from './list.js';\nr^([]);\n", ("import", "renderList", "web/list.ts")),
    "TypeScript by a barrel": ("web/page.ts", "import { renderList } from '.';\n^renderList([]);\n", ("import", "renderList", "web/list.ts")),
    "JavaScript by require": ("web/page.js", "const { renderList } = require('./list');\n^renderList([]);\n", ("import", "renderList", "web/list.ts")),
    "another language": ("web/page.js", "import x from 'y';\nlonely_thing();\nx.^audit_all();\n", None),
    "Go, same package": ("go/store/more.go", 'package store\n\nfunc f() int { return ^Open("x") }\n', ("only", "Open", "go/store/store.go")),
    "Go, another package": ("go/main.go", 'package main\n\nimport "example.com/shop/store"\n\nfunc main() { store.^Open("x") }\n', ("import", "Open", "go/store/store.go")),
    "Go, a foreign package": ("go/main.go", 'package main\n\nimport "example.com/tool/store"\n\nfunc main() { store.^Open("x") }\n', None),
    "Go, not imported": ("go/main.go", 'package main\n\nfunc main() { ^Open("x") }\n', None),
    "Rust path": ("src/lib.rs", "pub mod vault;\n\nfn f() { vault::^unlock(1); }\n", ("receiver", "unlock", "src/vault.rs")),
    "Rust use": ("src/main.rs", "use crate::vault::unlock;\n\nfn main() { ^unlock(1); }\n", ("import", "unlock", "src/vault.rs")),
    "Java, own class": ("App.java", "class App {\n  void run() { ^help(); }\n  void help() {}\n}\n", ("scope", "App.help", "App.java")),
    "Chinese": ("账本.py", "def 结账(月份):\n    return 月份\n\n\ndef main():\n    return ^结账(1)\n", ("scope", "结账", "账本.py")),
    "code in a Chinese sentence": ("run.py", "# 调用^lonely_thing即可\n", ("only", "lonely_thing", "bank/other.py")),
}  # fmt: skip


async def at_mark(here: Workspace, path: str, marked: str) -> Json | None:
    text, at = marked.replace("^", ""), marked.index("^")
    line = marked[:at].count("\n") + 1
    column = at - (marked.rfind("\n", 0, at) + 1)
    saved = here.root / path
    unsaved = [] if saved.exists() and saved.read_bytes() == text.encode() else [{"path": path, "text": text}]
    reply = await here.call("describe", path=path, line=line, column=column, overlays=unsaved)
    found: Json | None = reply["description"]
    return found


async def read_in(here: Workspace, path: str, text: str) -> None:
    """Have an unsaved text parsed, which a description would not wait for."""
    await here.call("search", query="x", overlays=[{"path": path, "text": text}])


async def test_what_a_name_is(workspace: Open) -> None:
    here = await workspace(FILES)
    wrong = {}
    for case, (path, marked, expected) in HERE.items():
        await read_in(here, path, marked.replace("^", ""))
        found = await at_mark(here, path, marked)
        said = None
        if found is not None:
            first = found["definitions"][0]["citation"]
            said = (found["reason"], first["symbol"] if found["reason"] else found["total"], first["path"])
            assert found["lacks"] == (), case
        if said != expected:
            wrong[case] = (said, expected)
    assert not wrong


async def test_where_it_is_mentioned(workspace: Open) -> None:
    here = await workspace(
        {
            "a.py": "def close_period(x):\n    return x\n\n\ny = close_period(1) + close_period(2)\n",
            "b.py": "from a import close_period\n\n\ndef run():\n    # close_periods, not_close_period, $close_period\n    return close_period(3)\n",
            "tests/test_a.py": "from a import close_period\n\n\ndef test_it():\n    assert close_period(1)\n",
            "README.md": "# Use\n\nCall `close_period`.\n",
            "gone.py": "from a import close_period\n\n\ndef other():\n    return close_period(9)\n",
        }
    )
    here.look_away()
    (here.root / "gone.py").unlink()
    (here.root / "b.py").write_text("\n\n" + (here.root / "b.py").read_text())
    found = await at_mark(
        here, "a.py", "def ^close_period(x):\n    return x\n\n\ny = close_period(1) + close_period(2)\n"
    )
    assert found
    mentions = found["mentions"]
    assert (mentions["places"], mentions["files"], mentions["complete"]) == (9, 5, True)
    places = {
        role: [(one["path"], one["focus"]["line"], one["focus"]["column"]) for one in mentions[role]]
        for role in ("code", "tests")
    }
    assert places == {"code": [("b.py", 8, 11), ("a.py", 5, 4)], "tests": [("tests/test_a.py", 5, 11)]}


async def test_unsaved_text_counts(workspace: Open) -> None:
    here = await workspace({"a.py": "def saved_one():\n    return 1\n", "b.py": "x = 1\n"})
    typed = "\n\ndef typed_one():\n    return ^saved_one()\n\n\ndef saved_one():\n    return 1\n"
    await read_in(here, "a.py", typed.replace("^", ""))
    found = await at_mark(here, "a.py", typed)
    assert found
    assert found["definitions"][0]["citation"]["focus"]["line"] == 7
    gone = "x = 1\n^saved_one()\n"
    await read_in(here, "a.py", gone.replace("^", ""))
    assert await at_mark(here, "a.py", gone) is None


async def test_text_that_takes_too_long_to_read_does_not_keep_anybody(workspace: Open) -> None:
    here = await workspace({"a.py": LEDGER})
    overlays = here._services._asking.overlays
    with overlays._parsing:  # another question has its text parsed
        found = await at_mark(here, "a.py", f"# typed\n{LEDGER}\n\n^Ledger()\n")
        assert found
        assert found["lacks"] == ("unread",)
        assert found["definitions"][0]["citation"]["start_line"] == 5, "held against the text in the editor"
    await read_in(here, "a.py", f"# typed\n{LEDGER}\n\nLedger()\n")
    found = await at_mark(here, "a.py", f"# typed\n{LEDGER}\n\n^Ledger()\n")
    assert found
    assert found["lacks"] == ()


async def test_what_lies_outside_of_the_text_is_nothing(workspace: Open) -> None:
    here = await workspace({"a.py": "def f():\n    pass\n"})
    for path, line, column in [
        ("a.py", 99, 0),
        ("a.py", 1, 999),
        ("none.py", 1, 0),
        ("../a.py", 1, 4),
        ("a.py", 2, 0),
    ]:
        assert (await here.call("describe", path=path, line=line, column=column))["description"] is None
