(function_item name: (_) @name body: (_) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.struct
(enum_item name: (_) @name body: (_) @body) @definition.enum
(trait_item name: (_) @name body: (_) @body) @definition.trait
(impl_item type: (_) @name body: (_) @body) @definition.impl
(mod_item name: (_) @name body: (_) @body) @definition.module
(macro_definition name: (_) @name) @definition.function
(type_item name: (_) @name) @definition.type
(const_item name: (_) @name) @definition.constant
(static_item name: (_) @name) @definition.constant
(field_declaration name: (_) @name) @definition.field
(enum_variant name: (_) @name) @definition.field

(line_comment) @comment
(block_comment) @comment
(string_literal) @string
(raw_string_literal) @string
(char_literal) @string
(attribute_item) @attribute
(tuple_expression . (_) . "," @keep . ")")
(tuple_type . (_) . "," @keep . ")")
(tuple_pattern . (_) . "," @keep . ")")
(source_file (use_declaration) @import)
(source_file (extern_crate_declaration) @import)
