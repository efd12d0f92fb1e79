(comment) @comment
(string) @string
(module . (comment)* . (string) @docstring)
(block . (comment)* . (string) @docstring)
(block) @scope
; The comma makes the tuple.
(tuple . (_) . "," @keep . ")")
(module [(import_statement) (import_from_statement) (future_import_statement)] @import)
