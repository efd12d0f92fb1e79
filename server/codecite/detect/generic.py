"""Grammars beyond the ones with query files of their own: one short table a language.

A table says which nodes are comments, which are strings, and what defines a name. Functions here are taken to
have a body. Every language of the table is parsed in a test; nothing else may be loaded.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Node types of comments and strings, and definition patterns as `meaning pattern`, one a line."""

    comments: str
    strings: str
    definitions: str


_C_LIKE = """
function (function_definition declarator: (function_declarator declarator: (_) @name))
function (function_definition
  declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)))
struct (struct_specifier name: (_) @name body: (_))
"""

TABLES: dict[str, Table] = {
    "kotlin": Table(
        "line_comment multiline_comment",
        "string_literal",
        """
        function (function_declaration (simple_identifier) @name)
        class (class_declaration (type_identifier) @name)
        class (object_declaration (type_identifier) @name)
        """,
    ),
    "swift": Table(
        "comment multiline_comment",
        "line_string_literal multi_line_string_literal",
        """
        function (function_declaration . name: (simple_identifier) @name)
        method (init_declaration name: _ @name)
        class (class_declaration name: (_) @name)
        interface (protocol_declaration name: (_) @name)
        """,
    ),
    "scala": Table(
        "comment block_comment",
        "string interpolated_string_expression",
        """
        function (function_definition name: (_) @name)
        class (class_definition name: (_) @name)
        class (object_definition name: (_) @name)
        trait (trait_definition name: (_) @name)
        enum (enum_definition name: (_) @name)
        """,
    ),
    "lua": Table(
        "comment",
        "string",
        """
        function (function_declaration name: (_) @name)
        closure (assignment_statement (variable_list . name: (_) @name)
          (expression_list . value: (function_definition)))
        """,
    ),
    "luau": Table("comment", "string", "function (function_declaration name: (_) @name)"),
    "elixir": Table(
        "comment",
        "string charlist sigil",
        """
        module (call target: (identifier) @_word (arguments . (alias) @name))
          (#match? @_word "^def(module|protocol|impl)$")
        function (call target: (identifier) @_word (arguments . (call target: (identifier) @name)))
          (#match? @_word "^def(p|macro|macrop)?$")
        function (call target: (identifier) @_word (arguments . (identifier) @name))
          (#match? @_word "^def(p|macro|macrop)?$")
        function (call target: (identifier) @_word
          (arguments . (binary_operator left: (call target: (identifier) @name))))
          (#match? @_word "^def(p|macro|macrop)?$")
        """,
    ),
    "dart": Table(
        "comment documentation_comment",
        "string_literal",
        """
        class (class_definition name: (_) @name)
        enum (enum_declaration name: (_) @name)
        class (mixin_declaration (identifier) @name)
        class (extension_declaration name: (_) @name)
        function ((function_signature name: (_) @name) @node . (function_body) @body)
        method ((method_signature (function_signature name: (_) @name)) @node . (function_body) @body)
        method ((method_signature (constructor_signature . name: (_) @name)) @node . (function_body) @body)
        """,
    ),
    "zig": Table(
        "line_comment doc_comment container_doc_comment",
        "STRINGLITERALSINGLE",
        """
        function (Decl (FnProto function: (IDENTIFIER) @name))
        constant (source_file (Decl (VarDecl variable_type_function: (IDENTIFIER) @name)) @node)
        """,
    ),
    "sql": Table(
        "comment marginalia",
        "literal",
        """
        struct (create_table (object_reference name: (_) @name))
        struct (create_view (object_reference name: (_) @name))
        function (create_function (object_reference name: (_) @name))
        """,
    ),
    "css": Table("comment", "string_value", "function (keyframes_statement (keyframes_name) @name)"),
    "scss": Table(
        "comment js_comment",
        "string_value",
        """
        function (mixin_statement name: (_) @name)
        function (function_statement name: (_) @name)
        """,
    ),
    "haskell": Table(
        "comment haddock",
        "string",
        """
        function (function name: (_) @name)
        struct (data_type name: (_) @name)
        class (class name: (_) @name)
        """,
    ),
    "ocaml": Table(
        "comment",
        "string quoted_string",
        """
        function (value_definition (let_binding pattern: (value_name) @name))
        module (module_definition (module_binding (module_name) @name))
        type (type_definition (type_binding name: (_) @name))
        """,
    ),
    "clojure": Table(
        "comment",
        "str_lit",
        'function (list_lit . (sym_lit) @_word . (sym_lit) @name) (#match? @_word "^def")',
    ),
    "erlang": Table("comment", "string", "function (fun_decl clause: (function_clause name: (_) @name))"),
    "julia": Table(
        "line_comment block_comment",
        "string_literal prefixed_string_literal",
        """
        function (function_definition (signature (call_expression . (identifier) @name)))
        struct (struct_definition (type_head (identifier) @name))
        module (module_definition name: (_) @name)
        """,
    ),
    "r": Table(
        "comment", "string", "function (binary_operator lhs: (identifier) @name rhs: (function_definition))"
    ),
    "objc": Table(
        "comment",
        "string_literal",
        _C_LIKE
        + """
        interface (class_interface . (identifier) @name)
        class (class_implementation . (identifier) @name)
        method (method_definition (identifier) @name)
        """,
    ),
    "powershell": Table(
        "comment",
        "string_literal expandable_string_literal",
        """
        function (function_statement (function_name) @name)
        class (class_statement . (simple_name) @name)
        method (class_method_definition (simple_name) @name)
        """,
    ),
    "fish": Table(
        "comment", "double_quote_string single_quote_string", "function (function_definition name: (_) @name)"
    ),
    "make": Table("comment", "", "function (rule (targets . (word) @name))"),
    "cmake": Table(
        "line_comment bracket_comment",
        "quoted_argument bracket_argument",
        """
        function (function_def (function_command (argument_list . (argument) @name)))
        function (macro_def (macro_command (argument_list . (argument) @name)))
        """,
    ),
    "graphql": Table(
        "comment",
        "string_value",
        """
        class (object_type_definition (name) @name)
        interface (interface_type_definition (name) @name)
        enum (enum_type_definition (name) @name)
        struct (input_object_type_definition (name) @name)
        function (operation_definition (name) @name)
        """,
    ),
    "proto": Table(
        "comment",
        "string",
        """
        struct (message (message_name) @name)
        interface (service (service_name) @name)
        enum (enum (enum_name) @name)
        field (rpc (rpc_name) @name)
        """,
    ),
    "thrift": Table(
        "comment",
        "string",
        """
        struct (struct_definition . type: (identifier) @name)
        interface (service_definition . type: (identifier) @name)
        field (function_definition (type) . (identifier) @name)
        """,
    ),
    "terraform": Table(
        "comment",
        "heredoc_template",
        "class (config_file (body (block (string_lit (template_literal) @name) . (block_start)) @node))",
    ),
    "hcl": Table(
        "comment",
        "heredoc_template",
        "class (config_file (body (block (string_lit (template_literal) @name) . (block_start)) @node))",
    ),
    "solidity": Table(
        "comment",
        "string",
        """
        class (contract_declaration name: (_) @name)
        interface (interface_declaration name: (_) @name)
        class (library_declaration name: (_) @name)
        function (function_definition name: (_) @name)
        function (modifier_definition name: (_) @name)
        field (event_definition name: (_) @name)
        """,
    ),
    "elm": Table(
        "line_comment block_comment",
        "string_constant_expr",
        """
        function (value_declaration
          functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name))
        type (type_declaration name: (_) @name)
        type (type_alias_declaration name: (_) @name)
        """,
    ),
    "gdscript": Table(
        "comment",
        "string",
        """
        function (function_definition name: (_) @name)
        class (class_definition name: (_) @name)
        """,
    ),
    "starlark": Table("comment", "string", "function (function_definition name: (_) @name)"),
    "cuda": Table("comment", "string_literal raw_string_literal", _C_LIKE),
    "glsl": Table("comment", "string_literal", _C_LIKE),
    "pascal": Table("comment", "literalString", "function (defProc header: (declProc name: (_) @name))"),
    "fortran": Table(
        "comment",
        "string_literal",
        """
        function (subroutine (subroutine_statement name: (_) @name))
        function (function (function_statement name: (_) @name))
        module (module (module_statement (name) @name))
        """,
    ),
    "gleam": Table(
        "comment statement_comment module_comment",
        "string",
        """
        function (function name: (_) @name)
        type (type_definition (type_name name: (_) @name))
        """,
    ),
    "haxe": Table(
        "comment",
        "string",
        """
        class (class_declaration name: (_) @name)
        function (function_declaration name: (_) @name)
        """,
    ),
    "hack": Table(
        "comment",
        "string",
        """
        class (class_declaration name: (_) @name)
        interface (interface_declaration name: (_) @name)
        trait (trait_declaration name: (_) @name)
        function (function_declaration name: (_) @name)
        method (method_declaration name: (_) @name)
        """,
    ),
    "prisma": Table(
        "comment document_comment",
        "string",
        """
        class (model_block . (identifier) @name)
        enum (enum_block . (identifier) @name)
        """,
    ),
    "wgsl": Table(
        "line_comment block_comment",
        "",
        """
        struct (struct_declaration name: (_) @name)
        function (function_declaration name: (_) @name)
        """,
    ),
    "vim": Table(
        "comment", "string_literal", "function (function_definition (function_declaration name: (_) @name))"
    ),
}


def generic_query(language: str) -> str:
    """Write the query of a language of the table."""
    table = TABLES[language]
    definitions = [" ".join(lines) for lines in _statements(table.definitions)]
    return "\n".join(
        [f"({kind}) @comment" for kind in table.comments.split()]
        + [f"({kind}) @string" for kind in table.strings.split()]
        + [_pattern(definition) for definition in definitions]
    )


def _statements(text: str) -> list[list[str]]:
    """Group lines: one that does not start with a meaning goes on with the one above."""
    found: list[list[str]] = []
    for line in text.split("\n"):
        words = line.split()
        if words and words[0].isidentifier():
            found.append(words)
        elif words:
            found[-1] += words
    return found


def _pattern(definition: str) -> str:
    """Turn `meaning pattern [predicate]` into a query pattern.

    `@node` in it marks the definition where that is not the whole of it.
    """
    meaning, _, rest = definition.partition(" ")
    pattern, hash_mark, predicate = rest.partition(" (#")
    captured = f"@definition.{meaning}"
    pattern = pattern.replace("@node", captured) if "@node" in pattern else f"{pattern} {captured}"
    return f"({pattern} (#{predicate})" if hash_mark else pattern
