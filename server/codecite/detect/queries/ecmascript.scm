; What JavaScript and TypeScript define alike.
(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(method_definition name: (_) @name body: (_) @body) @definition.method

; Functions that get their name from what they are assigned to.
(variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.closure
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(assignment_expression left: [(member_expression) (identifier)] @name right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.closure
(assignment_expression left: [(member_expression) (identifier)] @name right: (class body: (_) @body)) @definition.class
(pair key: [(property_identifier) (string)] @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.closure

(program [(lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable)
          (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)])
(export_statement declaration: [(lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable)
          (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)])
(program (expression_statement (assignment_expression left: (member_expression) @name right: (object)) @definition.variable))

; Functions without a name close off what is defined in them.
(arrow_function) @anonymous
(function_expression) @anonymous

(export_statement declaration: (_) @wrapped) @wrapper
(export_statement value: (_) @wrapped) @wrapper
(lexical_declaration . (variable_declarator) @wrapped .) @wrapper
(variable_declaration . (variable_declarator) @wrapped .) @wrapper
(expression_statement . (assignment_expression) @wrapped .) @wrapper

(comment) @comment
(string) @string
(template_string) @string
(regex) @string
(program (import_statement) @import)
