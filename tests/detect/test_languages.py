"""Languages are told apart, and each grammar that may be loaded gives up its definitions."""

import pytest

from codecite.detect.languages import COMPONENTS, CONFIGS, DOCUMENTS, GENERIC, PARSED, language_of
from codecite.detect.parse import parse

SAMPLES = {
    "kotlin": "class A(val x: Int) {\n  fun f(a: Int): Int { return 1 }\n}\nobject O { }\nfun top() = 1\n",
    "swift": "class A {\n  func f(a: Int) -> Int { return 1 }\n}\nprotocol P {}\nfunc top() {}\n",
    "scala": "class A {\n  def f(x: Int): Int = 1\n}\nobject O { val x = 1 }\ndef top() = 1\n",
    "lua": "local function f() return 'a' end\nfunction M.g(x) end\nlocal top = function() end\n",
    "luau": "local function top(x: number): number\n  return x\nend\n",
    "elixir": "defmodule A.B do\n  def f(x), do: 1\n  defp g(y) when y > 1 do\n    y\n  end\n  def top, do: 1\nend\n",
    "dart": "class A {\n  int f() { return 1; }\n}\nvoid top() { print('s'); }\n",
    "zig": "const A = struct { x: i32 };\npub fn top(a: i32) i32 { return a; }\n",
    "sql": "CREATE TABLE top (id INT);\n",
    "css": "@keyframes top { from { x: 'y' } }\n",
    "scss": "@mixin top($a) { x: 'y'; }\n",
    "haskell": "module M where\ntop :: Int -> Int\ntop x = x\n",
    "ocaml": 'let top x = "s"\nmodule M = struct let g y = 1 end\n',
    "clojure": '(defn top [x] "s")\n',
    "erlang": '-module(m).\ntop(X) -> "s".\n',
    "julia": "function top(x)\n  x\nend\nstruct S\n x\nend\n",
    "r": "top <- function(x) { 's' }\n",
    "objc": "@implementation A\n- (int)f:(int)x { return 1; }\n@end\nint top(void) { return 1; }\n",
    "powershell": "function top { 's' }\nclass B { [int] F() { return 1 } }\n",
    "fish": "function top\n  echo 's'\nend\n",
    "make": "top: x\n\techo 's'\n",
    "cmake": "function(top a)\nendfunction()\n",
    "graphql": "type top { x: Int }\n",
    "proto": "message top { int32 x = 1; }\n",
    "thrift": "struct top { 1: i32 x }\n",
    "hcl": 'job "top" {\n x = "s"\n}\n',
    "terraform": 'resource "aws" "top" {\n x = "s"\n}\n',
    "solidity": "contract A { function top() public returns (uint) { return 1; } }\n",
    "elm": 'module M exposing (..)\n\ntop x = "s"\n',
    "gdscript": "func top(x):\n\treturn 's'\n",
    "starlark": "def top(x):\n  return 's'\n",
    "cuda": "__global__ void top(int a) { }\n",
    "glsl": "float top(float a) { return 1.0; }\n",
    "pascal": "program p;\nprocedure top(x: integer);\nbegin\nend;\nbegin\nend.\n",
    "fortran": "subroutine top(x)\nend subroutine\n",
    "gleam": 'pub fn top(x) { "s" }\n',
    "haxe": "class A { function top() { return 's'; } }\n",
    "hack": "<?hh\nfunction top(): void {}\n",
    "prisma": "model top {\n id Int\n}\n",
    "wgsl": "fn top(a: f32) -> f32 { return 1.0; }\n",
    "vim": "function! top(x)\nendfunction\n",
    "python": "def top(): pass\n",
    "javascript": "function top() {}\n",
    "typescript": "function top(): void {}\n",
    "tsx": "function top() { return <b/>; }\n",
    "go": "package p\n\nfunc top() {}\n",
    "rust": "fn top() {}\n",
    "java": "class A { void top() {} }\n",
    "c": "int top(void) { return 1; }\n",
    "cpp": "int A::top() { return 1; }\n",
    "csharp": "class A { void top() {} }\n",
    "ruby": "def top = 1\n",
    "php": "<?php\nfunction top() {}\n",
    "bash": "top() { :; }\n",
    "vue": "<script>\nfunction top() {}\n</script>\n",
    "svelte": "<script>\nfunction top() {}\n</script>\n",
    "astro": "---\nfunction top() {}\n---\n<div/>\n",
}


def test_every_grammar_that_may_be_loaded_has_a_sample() -> None:
    assert set(SAMPLES) == PARSED | GENERIC | COMPONENTS
    assert not {"cobol", "perl", "d"} & (PARSED | GENERIC)


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_each_grammar_gives_up_a_definition(language: str) -> None:
    text = SAMPLES[language]
    parsed = parse("a", text, language)
    assert parsed.clean
    definition = next(item for item in parsed.definitions if item.name == "top")
    line = text.splitlines()[definition.name_line - 1]
    assert line[definition.name_column :].startswith("top")


def test_nested_definitions_of_generic_grammars_are_qualified() -> None:
    symbols = [leaf.symbol for leaf in parse("a", SAMPLES["kotlin"], "kotlin").leaves]
    assert symbols == ["A", "A.f", "O", "top"]
    symbols = [leaf.symbol for leaf in parse("a", SAMPLES["elixir"], "elixir").leaves]
    assert symbols == ["A.B", "A.B.f", "A.B.g", "A.B.top"]


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("a/b.py", "", "python"),
        ("types.pyi", "", "python"),
        ("a.TSX", "", "tsx"),
        ("a.mts", "", "typescript"),
        ("a.d.ts", "", "typescript"),
        ("Dockerfile", "", "dockerfile"),
        ("Dockerfile.dev", "", "dockerfile"),
        ("Makefile", "", "make"),
        ("Gemfile", "", "ruby"),
        ("CMakeLists.txt", "", "cmake"),
        ("notes.txt", "", "text"),
        ("LICENSE", "", "text"),
        ("locale/de/django.po", "", "gettext"),
        ("data.csv", "", "csv"),
        ("plot.ipynb", "", "notebook"),
        ("a.h", "", "cpp"),
        ("a.h", "#import <Foundation/Foundation.h>", "objc"),
        ("run", "#!/usr/bin/env python3", "python"),
        ("run", "#!/usr/bin/env -S node --flag", "javascript"),
        ("run", "#!/bin/sh", "bash"),
        ("run", "#! /usr/bin/ruby -w", "ruby"),
        ("run", "#!/usr/bin/env", "text"),
        ("run", "#!", "text"),
        ("index", "<?php echo 1;", "php"),
        (".bashrc", "", "bash"),
        ("what.is.this", "", "text"),
        ("dots.", "", "text"),
        ("", "", "text"),
    ],
)
def test_language_of(path: str, first_line: str, language: str) -> None:
    assert language_of(path, first_line) == language


@pytest.mark.parametrize(
    "language", sorted(DOCUMENTS | CONFIGS | {"gettext", "csv", "cobol", "perl", "unheard-of"})
)
def test_languages_without_a_grammar_are_lines(language: str) -> None:
    text = "one\n\ntwo: 3\n"
    parsed = parse("a", text, language)
    assert parsed.clean
    assert "".join(leaf.text for leaf in parsed.leaves) == text


@pytest.mark.parametrize(
    ("language", "text", "signature"),
    [
        ("python", "class Manager:  # kept\n    # for later\n    x = 1\n", "class Manager"),
        ("python", "def f(\n    a,  # first\n    b,\n):  # noqa\n    return a\n", "def f(a, b)"),
        (
            "typescript",
            "function f(a: number /* metres */): string { // why\n  return ''\n}\n",
            "function f(a: number): string",
        ),
        ("go", 'func f(a int /* metres */) string { // why\n\treturn ""\n}\n', "func f(a int) string"),
        ("python", f"def f({'a, ' * 99}b):\n    pass\n", f"def f({'a, ' * 64}a…"),
        ("c", "int f(int a) // why\n{\n  return a;\n}\n", "int f(int a)"),
    ],
)
def test_a_signature_holds_no_comment(language: str, text: str, signature: str) -> None:
    assert parse("a", text, language).definitions[0].signature == signature
