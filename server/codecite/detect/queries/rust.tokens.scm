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
