"""What files hold, and how tools of this kind fail on it: one class of failure a test, everything real."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.workspace.conftest import Open

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0\x90wS\xde\0\0\0\0IEND\xaeB`\x82"


ENCODED: list[tuple[str, bytes, str]] = [
    ("plain.py", b"def neighbour_of_all():\n    return 1\n", "neighbour_of_all"),
    ("cookie.py", "# coding: iso-8859-15\n# prix en €\ndef prix_net(p):\n    return p\n".encode("iso-8859-15"), "prix_net"),
    ("guess.c", "/* 在庫の数を数える関数です。倉庫ごとに呼ばれます。 */\nint count_bins(int n) { return n; }\n".encode("shift_jis"), "count_bins"),
    ("chinese.py", "# 计算订单的总价格，包括税费和运费\ndef order_sum(rows):\n    return sum(rows)\n".encode("gb18030"), "order_sum"),
    ("wide.py", "\ufeffdef wide_report(rows):\n    return len(rows)\n".encode("utf-16-le"), "wide_report"),
    ("wide_be.cs", "\ufeffclass WideGate {\n  int Open() { return 1; }\n}\n".encode("utf-16-be"), "WideGate.Open"),
    ("stray.py", b"# caf\xe9\ndef with_stray_byte():\n    return 2\n", "with_stray_byte"),
]  # fmt: skip


async def test_a_file_in_any_encoding_is_read_or_named_and_never_ends_the_run(workspace: Open) -> None:
    here = await workspace({name: data for name, data, _ in ENCODED})
    skipped = await here.skipped()
    for name, _, symbol in ENCODED:
        if name not in skipped:
            assert symbol in await here.symbols(name), name
    assert set(skipped) <= {"guess.c"}, "only the undeclared legacy encoding may be given up"


async def test_a_byte_order_mark_is_no_part_of_the_text_and_costs_nothing(workspace: Open) -> None:
    texts = {
        "a.py": "def first_symbol(x):\n    return x\n\n\ndef second(y):\n    return y\n",
        "b.ts": "export function gate(id: number) {\r\n  return id;\r\n}\r\n",
    }
    here = await workspace({**{name: "\ufeff" + text for name, text in texts.items()}, "only.py": "\ufeff"})
    before = {block["id"] for block in await here.blocks()}
    hit = (await here.search("first_symbol"))[0]
    assert (hit["path"], hit["start_line"], hit["symbol"]) == ("a.py", 1, "first_symbol")
    here.write(dict(texts))
    report = await here.index()
    assert report["blocks"]["embedded"] == 0
    assert {block["id"] for block in await here.blocks()} == before


async def test_blocks_are_the_files_own_lines_after_wide_characters(workspace: Open) -> None:
    source = "# Ledger — naïve “quotes” … π 𝒳 👩‍👩‍👧\n# 貸借の差を計算する\ndef settle(a, b):\n    return a - b\n\n\nclass Ledger:\n    def close(self):\n        return settle(1, 2)\n"
    here = await workspace(
        {"m.py": source, "crlf.py": source.replace("\n", "\r\n"), "cr.py": source.replace("\n", "\r")}
    )
    for name, end in (("m.py", "\n"), ("crlf.py", "\r\n"), ("cr.py", "\r")):
        blocks = await here.blocks(name)
        lines = [line + end for line in source.split("\n")[:-1]]
        for block in blocks:
            assert block["text"] == "".join(lines[block["start_line"] - 1 : block["end_line"]])
        assert [block["symbol"] for block in blocks if block["symbol"]] == [
            "settle",
            "Ledger",
            "Ledger.close",
        ]


async def test_what_only_looks_like_source_is_refused_and_a_stray_nul_is_not(workspace: Open) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0f" * 32 + "\nsize 48\n"
    here = await workspace(
        {
            "picture.py": PNG,
            "table.py": pointer,
            "nul.py": b"MARK = 'a\0b'\ndef has_nul():\n    return MARK\n",
            "real.py": "def real_code():\n    return 4\n",
        }
    )
    assert await here.skipped() == {"picture.py": "binary", "table.py": "lfs-pointer"}
    assert (await here.search("has_nul"))[0]["path"] == "nul.py"
    assert (await here.search("real_code"))[0]["path"] == "real.py"


async def test_deep_nesting_costs_one_file_at_most_and_its_neighbours_nothing(workspace: Open) -> None:
    chain = (
        "int pick(int x) {\n"
        + "".join(f"  {'else ' if n else ''}if (x == {n}) return {n};\n" for n in range(1200))
        + "  return -1;\n}\nint after_chain(void) { return 1; }\n"
    )
    here = await workspace({
        "tower.py": f"x = {'(' * 3000}1{')' * 3000}\n\n\ndef after_tower():\n    return x\n",
        "chain.c": chain,
        "deep.tsx": "export const Deep = () => (\n" + "<div>" * 400 + "</div>" * 400 + "\n);\nexport function AfterDeep() { return null; }\n",
        "lists.json": "[" * 5000 + "]" * 5000,
        "zz.py": "def after_all():\n    return 1\n",
    })  # fmt: skip
    for symbol in ("after_tower", "after_chain", "AfterDeep", "after_all"):
        assert (await here.search(symbol))[0]["symbol"] == symbol


async def test_machine_output_does_not_crowd_out_what_people_wrote(workspace: Open) -> None:
    bundle = (
        "!function(){"
        + "".join(f"function total{n}(price,order){{return price*{n}+order}}" for n in range(600))
        + "}();"
    )
    stub = "# Generated by the protocol compiler. DO NOT EDIT!\nDESCRIPTOR = b'" + "\\x0a\\x1f" * 4500 + "'\n"
    picture = "iVBORw0KGgo" * 4000
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n"]},
        {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["def tide_height(hour):\n", "    return 2.1 * hour\n"], "outputs": [{"data": {"image/png": picture}, "output_type": "display_data", "metadata": {}}]},
    ]}  # fmt: skip
    here = await workspace({
        "public/vendor.min.js": bundle,
        "api/orders_pb2.py": stub,
        "tides.ipynb": json.dumps(notebook, indent=1),
        "src/orders.py": 'def total_price(order):\n    """Add up the lines of one order."""\n    return sum(line.price for line in order.lines)\n',
    })  # fmt: skip
    answer = await here.ask("how is an order's total price worked out?")
    assert answer["citations"][0]["symbol"] == "total_price"
    tide = (await here.ask("what does tide_height do?"))["citations"][0]
    assert tide["path"] == "tides.ipynb"
    assert "tide_height" in tide["text"]
    assert picture[:200] not in tide["text"]
    for path in ("public/vendor.min.js", "api/orders_pb2.py"):
        assert path in await here.skipped() or len(await here.blocks(path)) <= 3


DUPLICATES = """import sys

if sys.platform == "win32":
    def sep():
        return ";"
else:
    def sep():
        return ";"


def sep():
    return ";"


class Box:
    @property
    def size(self):
        return self._size

    @size.setter
    def size(self, value):
        self._size = value


def outer_a():
    def helper():
        return 1
    return helper()


def outer_b():
    def helper():
        return 1
    return helper()
"""


async def test_equal_names_and_bodies_are_blocks_of_their_own(workspace: Open) -> None:
    here = await workspace({
        "dup.py": DUPLICATES,
        "branches.c": "#ifdef FAST\nint sum(int a) { return a; }\n#else\nint sum(int a) { return a; }\n#endif\n",
        "over.ts": "export function parse(x: string): number;\nexport function parse(x: number): number;\nexport function parse(x: any): number {\n  return Number(x);\n}\nexport class A { run() { return 1; } }\nexport class B { run() { return 1; } }\n",
    })  # fmt: skip
    symbols = await here.symbols("dup.py")
    assert symbols.count("sep") == 3
    assert symbols.count("Box.size") == 2
    assert {"outer_a.helper", "outer_b.helper"} <= set(symbols)
    assert (await here.symbols("branches.c")).count("sum") == 2
    before = {block["id"]: block for block in await here.blocks("dup.py")}
    here.write({"dup.py": "# a new first line\n" + DUPLICATES[::-1].replace("1 nruter", "3 nruter", 1)[::-1]})
    report = await here.index()
    after = {block["id"] for block in await here.blocks("dup.py")}
    assert {before[gone]["symbol"] for gone in before.keys() - after} == {"outer_b.helper"}
    assert report["blocks"]["embedded"] == 1


async def test_decorated_and_wrapped_definitions_begin_at_their_first_decorator(workspace: Open) -> None:
    source = "import functools\n\n\n@route('/parcels/<int:pid>')\n@functools.cache\nasync def fetch_parcel(pid):\n    return pid\n\n\nclass Depot:\n    @staticmethod\n    def hours():\n        return 8\n\n    @classmethod\n    async def build[T](cls, item: T):\n        return cls()\n"
    here = await workspace({
        "d.py": source,
        "e.ts": "export default async function* rows<T>(q: T) { yield q; }\nexport const arrow = <K, V>(m: Map<K, V>) => [...m.keys()];\nexport abstract class Repo<T extends object> {\n  @log() async find(id: string): Promise<T | null> { return null; }\n  declare readonly name: string;\n}\n",
    })  # fmt: skip
    assert {"fetch_parcel", "Depot", "Depot.hours", "Depot.build"} <= set(await here.symbols("d.py"))
    for symbol in ("rows", "arrow", "Repo", "find"):
        assert (await here.search(symbol))[0]["path"] == "e.ts", symbol
    parcel = next(block for block in await here.blocks("d.py") if block["symbol"] == "fetch_parcel")
    assert parcel["text"].startswith("@route")
    assert (await here.ask("which function serves /parcels"))["citations"][0]["symbol"] == "fetch_parcel"
    here.write({"d.py": source.replace("/parcels/", "/boxes/")})
    await here.index()
    assert parcel["id"] not in {block["id"] for block in await here.blocks("d.py")}


async def test_code_inside_component_files_has_the_component_files_lines(workspace: Open) -> None:
    here = await workspace({
        "Card.vue": '<template>\n  <b @click="raise()">{{ n }}</b>\n</template>\n\n<script\n  setup\n  lang="ts"\n>\nconst n: number = 1;\nfunction raise_it(): void {\n  n += 1;\n}\n</script>\n\n<style>\n.a { color: red }\n</style>\n',
        "Meter.svelte": '<script context="module">\n  export function clamp_it(v) { return v; }\n</script>\n<script>\n  function bump_it() { return clamp_it(1); }\n</script>\n<b>{n}</b>\n',
    })  # fmt: skip
    for symbol, path, line in (
        ("raise_it", "Card.vue", 10),
        ("clamp_it", "Meter.svelte", 2),
        ("bump_it", "Meter.svelte", 5),
    ):
        hit = (await here.search(symbol))[0]
        assert (hit["path"], hit["start_line"] <= line <= hit["end_line"]) == (path, True)
        focus = (await here.ask(f"where is {symbol} defined"))["citations"][0]["focus"]
        lines = (here.root / path).read_text().split("\n")
        assert focus["line"] == line
        assert lines[line - 1][focus["column"] :].startswith(symbol)


async def test_broken_conflicting_and_ancient_files_stay_readable(workspace: Open) -> None:
    whole = "def before():\n    return 1\n\n\ndef half(a, b):\n    return a\n\n\ndef after_half():\n    return before()\n\n\nclass Tail:\n    def inside(self):\n        return after_half()\n"
    here = await workspace({
        "edit.py": whole,
        "conflict.py": "def stable():\n    return 0\n\n\n<<<<<<< HEAD\ndef fee(amount):\n    return amount * 2\n=======\ndef fee(amount, vip=False):\n    return 0 if vip else amount * 3\n>>>>>>> topic\n\n\ndef after_conflict():\n    return fee(10)\n",
        "py2.py": "import urllib2\n\ndef greet(name):\n    print 'hi %s' % name\n    raise ValueError, 'bad'\n\ndef clean_two():\n    return 1\n",
    })  # fmt: skip
    ids = {block["id"] for block in await here.blocks("edit.py")}
    here.write(
        {"edit.py": whole.replace("def half(a, b):\n", "def half(a, b\n    total = a +\n    for x in (\n")}
    )
    await here.index()
    assert (await here.search("after_half"))[0]["path"] == "edit.py"
    here.write({"edit.py": whole})
    assert (await here.index())["blocks"]["embedded"] == 0
    assert {block["id"] for block in await here.blocks("edit.py")} == ids
    notes = (await here.call("status"))["files"]["notes"]
    assert any(note["path"] == "conflict.py" and "conflict" in note["note"] for note in notes)
    shown = "".join(hit["text"] for hit in await here.search("fee") if hit["path"] == "conflict.py")
    assert "amount * 2" in shown
    assert "amount * 3" in shown
    assert (await here.search("clean_two"))[0]["path"] == "py2.py"


async def test_nothing_blank_is_embedded_and_emptied_files_leave_no_ghost(workspace: Open) -> None:
    here = await workspace(
        {
            "empty.py": "",
            "blank.py": "\n   \n\t\n",
            "closers.js": "}\n)\n",
            "kept.py": "def kept_here():\n    return 1\n",
            "gone.py": "def was_here():\n    return 1\n",
        }
    )
    assert all(block["embed_key"] == "" for block in await here.blocks("blank.py"))
    assert await here.blocks("empty.py") == []
    here.write({"kept.py": ""})
    (here.root / "gone.py").unlink()
    await here.index()
    assert await here.search("kept_here") == []
    assert await here.search("was_here") == []
    for name in os.listdir(here.root):
        (here.root / name).unlink()
    report = await here.index()
    assert (report["files"]["indexed"], report["blocks"]["total"]) == (0, 0)
    assert (await here.ask("where is was_here"))["abstained"]


NAMES = [
    "a b.py",
    "100%.py",
    "per%20cent.py",
    "c#util.py",
    "what?.py",
    "[id].py",
    "plus+plus.py",
    "-dash.py",
    "$cash.py",
    "日本語.py",
    "emoji🚀.py",
    "e\u0301.py",
    "\u00e9.py",
]
POSIX_NAMES = ["col:on.py", "new\nline.py", "back\\slash.py", "quote'\".py", "tab\there.py"]


async def test_any_file_name_is_just_a_name(workspace: Open) -> None:
    names = NAMES if os.name == "nt" else NAMES + POSIX_NAMES
    here = await workspace({name: f"def in_file_{n}():\n    return {n}\n" for n, name in enumerate(names)})
    stored = set(os.listdir(here.root))  # what this file system made of the names
    assert {block["path"] for block in await here.blocks()} == stored
    for n, name in enumerate(names):
        hit = (await here.search(f"in_file_{n}"))[0]
        assert hit["symbol"] == f"in_file_{n}"
        assert (here.root / hit["path"]).read_text() == hit["text"]
        assert os.path.samefile(here.root / hit["path"], here.root / name)
    (here.root / names[0]).unlink()
    await here.index()
    assert {block["path"] for block in await here.blocks()} == stored - {names[0]}


async def test_more_blocks_than_one_write_of_the_vector_store_takes(workspace: Open) -> None:
    here = await workspace({"many.py": "".join(f"def number_{n}(): return {n}\n" for n in range(6000))})
    blocks = await here.blocks("many.py")
    assert len({block["symbol"] for block in blocks}) == 6000
    assert all(block["embedded_by"] for block in blocks)
    assert (await here.call("doctor"))["checks"] == [
        check for check in (await here.call("doctor"))["checks"] if check["ok"] or check["name"] == "git"
    ]
    assert (await here.search("number_4321"))[0]["symbol"] == "number_4321"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
async def test_a_hostile_tree_is_harmless(workspace: Open, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("def outside_secret():\n    return 1\n")
    marker = tmp_path / "marker"
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    here = await workspace(
        {
            "ok.py": "def harmless():\n    return 1\n",
            ".env": "TOKEN=abcdef\n",
            "id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\n",
        }
    )
    subprocess.run(["git", "-C", here.root, "init", "-q"], check=True)
    (here.root / ".git/config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {script}\n\thooksPath = {tmp_path}\n\tsshCommand = {script}\n\tpager = {script}\n[diff]\n\texternal = {script}\n[alias]\n\tls-files = !{script}\n"
    )
    (here.root / "link.py").symlink_to(outside / "secret.py")
    (here.root / "linked").symlink_to(outside)
    (here.root / "loop").symlink_to(here.root)
    os.mkfifo(here.root / "pipe.py")
    with (here.root / "sparse.py").open("wb") as sparse:
        sparse.truncate(1 << 30)
    await here.index()
    assert not marker.exists()
    assert {block["path"] for block in await here.blocks()} == {"ok.py"}
    skipped = await here.skipped()
    assert skipped == {
        ".env": "secret",
        "id_rsa": "secret",
        "link.py": "symlink",
        "linked": "symlink",
        "loop": "symlink",
        "pipe.py": "special",
        "sparse.py": "too-large",
    }
    assert not marker.exists()
