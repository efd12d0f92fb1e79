(function_definition declarator:
  (reference_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @definition.function
(function_definition declarator: (operator_cast "operator" @name) body: (_) @body) @definition.function
(class_specifier name: (_) @name body: (_) @body) @definition.class
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(alias_declaration name: (_) @name) @definition.type
(concept_definition name: (_) @name) @definition.type
(field_declaration declarator: (field_identifier) @name) @definition.field
(template_declaration [(function_definition) (class_specifier) (struct_specifier) (union_specifier)
  (alias_declaration) (concept_definition) (template_declaration)] @wrapped) @wrapper

(raw_string_literal) @string
