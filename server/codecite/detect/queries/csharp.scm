(class_declaration name: (_) @name body: (_) @body) @definition.class
(struct_declaration name: (_) @name body: (_) @body) @definition.struct
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
(method_declaration name: (_) @name body: (_) @body) @definition.method
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name body: (_) @body) @definition.method
(destructor_declaration name: (_) @name body: (_) @body) @definition.method
(local_function_statement name: (_) @name body: (_) @body) @definition.function
(delegate_declaration name: (_) @name) @definition.type
(property_declaration name: (_) @name) @definition.property
(event_declaration name: (_) @name) @definition.field
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.field
(enum_member_declaration name: (_) @name) @definition.field

(comment) @comment
(string_literal) @string
(verbatim_string_literal) @string
(raw_string_literal) @string
(interpolated_string_expression) @string
(character_literal) @string
(compilation_unit (using_directive) @import)
(file_scoped_namespace_declaration "namespace" @import)
