(comment) @comment
(string) @string
(template_string) @string
(regex) @string
(program (import_statement) @import)
