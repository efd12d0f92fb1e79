(function_declaration name: (_) @name body: (_) @body) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (_) @name body: (_) @body) @definition.method
(type_spec name: (_) @name type: (struct_type (_) @body)) @definition.struct
(type_spec name: (_) @name type: (interface_type) @body) @definition.interface
(type_spec name: (_) @name) @definition.type
(type_alias name: (_) @name) @definition.type
(interface_type (method_elem name: (_) @name) @definition.method)
(field_declaration name: (_) @name) @definition.field
(source_file (const_declaration (const_spec name: (_) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (_) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @definition.variable)))
(type_declaration . (type_spec) @wrapped .) @wrapper
(type_declaration . (type_alias) @wrapped .) @wrapper
(const_declaration . (const_spec) @wrapped .) @wrapper
(var_declaration . (var_spec) @wrapped .) @wrapper

(comment) @comment
(interpreted_string_literal) @string
(raw_string_literal) @string
(rune_literal) @string
(package_clause) @import
(import_declaration) @import
