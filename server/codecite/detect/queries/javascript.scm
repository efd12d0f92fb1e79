(class_body member: (field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)
(class_body member: (field_definition property: (_) @name) @definition.field)
