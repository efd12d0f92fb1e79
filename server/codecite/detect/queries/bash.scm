(function_definition name: (_) @name body: (_) @body) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))

(comment) @comment
(string) @string
(raw_string) @string
(ansi_c_string) @string
(heredoc_body) @string
