"""Single-file components (Vue, Svelte, Astro): scripts are parsed where they stand, so positions hold."""

from collections.abc import Callable

from tree_sitter import Node

from codecite.detect.code import take_apart
from codecite.detect.grammars import parse_tree
from codecite.detect.source import Source
from codecite.detect.syntax import Found, Syntax, read_syntax
from codecite.model.blocks import Definition, Leaf

_SCRIPTS = ("script_element", "frontmatter")
_CONTENTS = ("raw_text", "frontmatter_js_block")
_COMMENT = "comment"


def parse_component(
    source: Source, language: str, max_leaf_lines: int, expired: Callable[[], bool]
) -> tuple[list[Leaf], list[Definition], bool]:
    """Take a component apart: leaves, definitions, and whether its scripts parsed cleanly.

    Raises ParseTimeoutError.
    """
    root = parse_tree(language, source.data, expired).root_node
    scripts: list[tuple[str, int, int]] = []
    syntax = Syntax()
    for element in root.named_children:
        content = next((child for child in element.named_children if child.type in _CONTENTS), None)
        if element.type in _SCRIPTS and content is not None:
            scripts.append((_script_language(source, language, element), *content.byte_range))
        elif element.type != _COMMENT and source.data[slice(*element.byte_range)].strip():
            syntax.found.append(_markup(element))
    for script_language, start, end in scripts:
        _add(syntax, read_syntax(script_language, source.data, expired, [(start, end)]))
    syntax.tokens.sort(key=lambda token: (token[0], token[2]))
    leaves, definitions = take_apart(source, language, syntax, max_leaf_lines)
    return leaves, definitions, syntax.clean


def _script_language(source: Source, language: str, element: Node) -> str:
    head = element.named_children[0]
    attributes = source.data[slice(*head.byte_range)] if head.type == "start_tag" else b""
    if language == "astro" or b'"ts"' in attributes or b"'ts'" in attributes or b"typescript" in attributes:
        return "typescript"
    return "tsx" if b'"tsx"' in attributes or b'"jsx"' in attributes else "javascript"


def _markup(element: Node) -> Found:
    start, end = element.byte_range
    return Found("markup", start, end, start, -1, "", start)


def _add(syntax: Syntax, script: Syntax) -> None:
    syntax.tokens += script.tokens
    syntax.found += script.found
    syntax.anonymous += script.anonymous
    syntax.imports += script.imports
    syntax.attributes += script.attributes
    syntax.statements |= script.statements
    syntax.clean = syntax.clean and script.clean
