"""What bytes are: decoded text, or a refusal with the right reason; never an exception."""

import base64
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codecite.collect.content import examine
from codecite.model.files import Refusal, SourceText

CODE = "def f(x):\n    return x + 1\n"

# Each case: name, bytes, encoding, and the text where it is not simply what that encoding gives.
DECODED = [
    ("plain", b"x = 1\r\ny = 2\rz", "utf-8", "x = 1\r\ny = 2\rz"),
    ("empty", b"", "utf-8", ""),
    ("UTF-8 with a mark", b"\xef\xbb\xbfx = 1\n", "utf-8", "x = 1\n"),
    ("only a mark", b"\xef\xbb\xbf", "utf-8", ""),
    ("a mark twice", b"\xef\xbb\xbf\xef\xbb\xbfx", "utf-8", "x"),
    ("UTF-16 LE with a mark", b"\xff\xfe" + "größe = 1\n".encode("utf-16-le"), "utf-16-le", "größe = 1\n"),
    ("UTF-16 BE with a mark", b"\xfe\xff" + "größe = 1\n".encode("utf-16-be"), "utf-16-be", "größe = 1\n"),
    ("UTF-32 LE with a mark", b"\xff\xfe\0\0" + "a = '🚀'\n".encode("utf-32-le"), "utf-32-le", "a = '🚀'\n"),
    ("UTF-32 BE with a mark", b"\0\0\xfe\xff" + "a = '🚀'\n".encode("utf-32-be"), "utf-32-be", "a = '🚀'\n"),
    ("UTF-16 LE without", CODE.encode("utf-16-le"), "utf-16-le", CODE),
    ("UTF-16 BE without", CODE.encode("utf-16-be"), "utf-16-be", CODE),
    ("UTF-16 with Chinese", ("# 统计库存\n" + CODE).encode("utf-16-le"), "utf-16-le", "# 统计库存\n" + CODE),
    ("PEP 263", "# -*- coding: latin-1 -*-\n# réduit\n".encode("latin-1"), "iso8859-1", None),
    ("PEP 263, line two", "#!/bin/x\n# coding=cp1250\n# žluť\n".encode("cp1250"), "cp1250", None),
    ("Emacs", "/* -*- coding: koi8-r-unix -*- */\n/* счёт */\n".encode("koi8-r"), "koi8-r", None),
    ("Vim at the end", "/* счёт */\n\n// vim: set fileencoding=koi8-r :\n".encode("koi8-r"), "koi8-r", None),
    ("Ruby", "# encoding: euc-jp\n# 在庫\n".encode("euc-jp"), "euc_jp", None),
    ("HTML", "<html><meta charset='windows-1251'><p>счёт".encode("cp1251"), "cp1251", None),
    ("HTML, long form", '<meta http-equiv=x content="text/html; charset=big5">庫存'.encode("big5"), "big5", None),
    ("XML", '<?xml version="1.0" encoding="ISO-8859-15"?><p>€'.encode("iso8859-15"), "iso8859-15", None),
    ("CSS", '@charset "shift_jis";\n/* 在庫 */'.encode("shift_jis"), "shift_jis", None),
    ("declared, seven bits", "# coding: iso-2022-jp\n# 在庫\n".encode("iso-2022-jp"), "iso2022_jp", None),
    ("declared wrongly, is UTF-8", "# coding: latin-1\n# größe\n".encode(), "utf-8", None),
    ("declared wrongly, is not", "# coding: ascii\n# réduit à\n".encode("latin-1"), "cp1252", None),
    ("unknown name declared", "# coding: martian\n# réduit à\n".encode("latin-1"), "cp1252", None),
    ("no codec of files declared", b"# coding: unicode_escape\nx = '\\u0041'\n", "utf-8", None),
    ("undeclared Western", "// Crédits épuisés à Genève\nint x;\n".encode("latin-1"), "cp1252", None),
    ("undeclared Western quotes", "// “smart” – quotes\n".encode("cp1252"), "cp1252", None),
    ("undeclared Korean", "# 메뉴 가격 계산\nx = 1\n".encode("cp949"), "euc_kr", None),
    ("undeclared Shift JIS", "/* 在庫数を数える */\nint x;\n".encode("shift_jis"), "shift_jis", None),
    ("undeclared EUC-JP", "/* 在庫の数をかぞえる */\nint x;\n".encode("euc_jp"), "euc_jp", None),
    ("undeclared GBK", "// 统计库存数量，然后返回总数\nint x;\n".encode("gbk"), "gb18030", None),
    ("undeclared Big5", "// 計算庫存數量，然後傳回總數\nint x;\n".encode("big5"), "big5", None),
    ("undeclared Cyrillic", "// Подсчёт товаров на складе\nint x;\n".encode("cp1251"), "cp1251", None),
    ("one NUL", b"MARK = 'a\0b'\ndef has_nul():\n    return MARK\n", "utf-8", None),
    ("form feed and escape", b"\x0cdef f():\n    print('\x1b[0m')\n", "utf-8", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "encoding", "text"), [case[1:] for case in DECODED], ids=[case[0] for case in DECODED]
)
def test_decoded(data: bytes, encoding: str, text: str | None) -> None:
    found = examine("file.x", data)
    assert isinstance(found, SourceText), found
    assert found.encoding == encoding
    assert found.text == (data.decode(encoding).replace("\0", " ") if text is None else text)


@pytest.mark.parametrize(
    ("data", "note", "line"),
    [
        (b"a = 'x\0y'\n", "NUL characters were read as spaces", "a = 'x y'\n"),
        (
            "# größe, länge, höhe\n".encode() + b"b = '\xff'\n",
            "bytes that are no utf-8 were replaced",
            "b = '\ufffd'\n",
        ),
        (b"\xff\xfea\0\n\0\x00\xd8\n\0", "bytes that are no utf-16-le were replaced", "a\n"),
        ("# réduit\n".encode("latin-1"), "no encoding declared: read as cp1252", "# réduit\n"),
    ],
)
def test_what_was_done_to_the_text_is_noted(data: bytes, note: str, line: str) -> None:
    found = examine("file.py", data)
    assert isinstance(found, SourceText)
    assert found.notes == (note,)
    assert line in found.text


KEY_BODY = base64.b64encode(bytes(range(256)) * 4).decode()
BUNDLE = "!function(){" + "".join(f"function f{n}(a,b){{return a*{n}+b}}" for n in range(800)) + "}();"
LICENSE = "/*!\n * Some Library v1.2\n * (c) Somebody, under some license\n */\n"


def armour(kind: str, separator: str = "\n", headers: str = "") -> str:
    """Write what a private key looks like; the mark is put together so that this file itself holds none."""
    lines = [KEY_BODY[at : at + 64] for at in range(0, 512, 64)]
    return separator.join(
        [f"-----{'BEGIN'} {kind}-----", *filter(None, [headers]), *lines, f"-----END {kind}-----"]
    )


# Each case: path, content, reason.
REFUSED = [
    ("picture.py", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0", "binary"),
    ("paper", b"%PDF-1.7\nonly text follows\n", "binary"),
    ("tool", b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0", "binary"),
    ("sound", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0", "binary"),
    ("noise.py", bytes((n * 7919 + n // 3) % 256 for n in range(5000)), "binary"),
    ("mostly_nul.py", b"x = 1\n" + b"\0" * 101, "binary"),
    ("legacy_and_nul.py", b"caf\xe9 \0\1\2 = 1\n", "binary"),
    ("photo.jpg", b"whatever", "binary"),
    ("table.py", b"version https://git-lfs.github.com/spec/v1\noid sha256:0f0f\nsize 48\n", "lfs-pointer"),
    ("vendor/lib.js", BUNDLE, "minified"),
    ("vendor/lib.js", LICENSE + BUNDLE + "\n//# sourceMappingURL=lib.js.map\n", "minified"),
    ("s.css", "".join(f".c{n}{{margin:0;padding:{n}px;color:#fff}}" for n in range(100)), "minified"),
    ("d.json", json.dumps([{"name": f"n{n}", "kind": "row"} for n in range(200)], separators=(",", ":")), "minified"),
    ("a_pb2.py", "# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\nX = 1\n", "generated"),
    ("a.go", "// Copyright\n\n// Code generated by mock-maker v1. DO NOT EDIT.\n\npackage a\n", "generated"),
    ("A.cs", "// <auto-generated>\n//   by a tool\n// </auto-generated>\nclass A {}\n", "generated"),
    ("a.ts", "/**\n * Types of the schema\n *\n * @generated\n */\nexport type A = 1\n", "generated"),
    ("a.c", "/* This file was automatically generated by SWIG.\n * Do not make changes,\n * do not edit. */\n", "generated"),
    ("a.dart", "// GENERATED CODE - DO NOT MODIFY BY HAND\npart of 'a.dart';\n", "generated"),
    ("a.py", "# DO NOT EDIT THIS FILE!\n# It is remade by every build.\n# Generated from a.toml\n", "generated"),
    ("y.tab.c", "/* A Bison parser, made by GNU Bison 3.8.2.  */\n", "generated"),
    ("poetry.lock", "[[package]]\n", "generated"),
    ("web/package-lock.json", "{}", "generated"),
    ("test_key.py", f'KEY = """{armour("RSA PRIVATE KEY")}"""\n', "secret"),
    ("k.js", 'const key = "' + armour("PRIVATE KEY", "\\n") + '"', "secret"),
    ("k.txt", armour("RSA PRIVATE KEY", headers="Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n"), "secret"),
    ("k.txt", armour("PGP PRIVATE KEY BLOCK", headers="Version: Some 1.0\n"), "secret"),
    ("k.txt", armour("OPENSSH PRIVATE KEY"), "secret"),
    ("deploy/.env", "A=1", "secret"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "content", "reason"), REFUSED)
def test_refused(path: str, content: str | bytes, reason: str) -> None:
    found = examine(path, content if isinstance(content, bytes) else content.encode())
    assert isinstance(found, Refusal), found
    assert (found.path, found.reason) == (path, reason)
    assert found.detail
    assert "\n" not in found.detail


# Each case: path and content of a file that resembles a refused one.
KEPT = [
    (
        "scan.py",
        "KEY_MARK = '-----" + "BEGIN PRIVATE KEY-----'\nif KEY_MARK in text:\n    raise ValueError\n",
    ),
    ("cert.txt", armour("CERTIFICATE")),
    ("0001_initial.py", "# Generated by a framework 5.2 on 2025-04-02\n\nclass Migration:\n    pass\n"),
    (
        "make_code.py",
        '"""Generated files begin with: do not edit."""\n\nHEAD = "// Code generated by us. DO NOT EDIT."\n',
    ),
    (
        "lint.py",
        "# Files with @generated in their head are skipped; do not edit the list below by hand.\nSKIP = []\n",
    ),
    ("docs/api.md", "<!-- This file is generated. Do not edit. -->\n# API\n"),
    ("registry.py", "# Functions generated below are looked up by name.\n# Do not change their order.\n"),
    ("essay.md", "One long paragraph about nothing in particular. " * 60),
    ("tower.py", "x = " + "(" * 3000 + "1" + ")" * 3000 + "\n\ndef after_tower():\n    return x\n"),
    ("image.py", f'IMAGE = "{KEY_BODY * 4}"\n\ndef show():\n    return IMAGE\n'),
    ("numbers.py", "TABLE = [" + ", ".join(map(str, range(2000))) + "]\n"),
    ("fixture.py", f"JS = {BUNDLE!r}\n" + "def test_{0}():\n    assert JS\n" * 12),
    ("plot.ipynb", json.dumps({"cells": [{"outputs": [{"data": {"image/png": KEY_BODY * 30}}]}]})),
    ("zh.js", "// " + "统计库存数量然后返回总数" * 200 + "\nlet a = 1\n"),
    ("notes.txt", "RIFF on a theme\n"),
    ("lfs.md", "A pointer looks like this:\n\nversion https://git-lfs.github.com/spec/v1\noid sha256:0f\n"),
    ("locks.py", "LOCK = 'poetry.lock'\n"),
    (".env.example", "A=1\n"),
]


@pytest.mark.parametrize(("path", "content"), KEPT, ids=[case[0] for case in KEPT])
def test_kept(path: str, content: str) -> None:
    found = examine(path, content.encode())
    assert isinstance(found, SourceText), found
    assert found.text == content


PIECES = st.sampled_from(
    [b"\xff\xfe", b"\xef\xbb\xbf", b"\0\0\xfe\xff", b"\0", b"# coding: utf-16\n", b"# coding: undefined\n", b"\x1b$B",
     b"# vim: fenc=hz\n", b"~{", b"<?xml encoding='utf-32'?>", b"\xed\xa0\x80", b"\x84\x31\x95\x33", b"\n", b"a" * 1200]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(PIECES, st.binary(max_size=40)), max_size=8).map(b"".join))
@example(b"# coding: idna\n\xff")
@example(b"# coding: utf_8_sig\n\xef\xbb\xbf\xff")
def test_any_bytes_give_storable_text_or_a_refusal(data: bytes) -> None:
    found = examine("any.py", data)
    if isinstance(found, SourceText):
        found.text.encode("utf-8")  # raises for a lone surrogate
        assert "\0" not in found.text
        assert not found.text.startswith("\ufeff")
    else:
        assert found.reason in {"binary", "generated", "lfs-pointer", "minified", "secret"}


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=200)


@settings(max_examples=100, deadline=None)
@given(WORDS.map(lambda words: f"# {words}\nx = 1\r\n"), st.sampled_from(["", "\ufeff"]))
def test_utf8_text_comes_back_as_it_is(text: str, mark: str) -> None:
    assert examine("any.py", (mark + text).encode()) == SourceText(text, "utf-8")
