(function_definition name: (_) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(trait_declaration name: (_) @name body: (_) @body) @definition.trait
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(method_declaration name: (_) @name body: (_) @body) @definition.method
(method_declaration name: (_) @name) @definition.method
(const_element . (name) @name) @definition.constant
(property_element name: (_) @name) @definition.field
(enum_case name: (_) @name) @definition.field

(comment) @comment
(string) @string
(encapsed_string) @string
(heredoc) @string
(nowdoc) @string
(program (php_tag) @import)
(program (namespace_definition !body) @import)
(program (namespace_use_declaration) @import)
