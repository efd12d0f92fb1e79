; What Python defines. A wrapper widens the definition that it wraps.
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(decorated_definition definition: (_) @wrapped) @wrapper

(module (assignment left: (identifier) @name) @definition.variable)
(class_definition body: (block (assignment left: (identifier) @name) @definition.field))
(module (type_alias_statement left: (type (identifier) @name)) @definition.type)

(comment) @comment
(string) @string
(module . (comment)* . (string) @docstring)
(block . (comment)* . (string) @docstring)
(block) @scope
; The comma makes the tuple.
(tuple . (_) . "," @keep . ")")
(module [(import_statement) (import_from_statement) (future_import_statement)] @import)
