(comment) @comment
(string) @string
(encapsed_string) @string
(heredoc) @string
(nowdoc) @string
(program (php_tag) @import)
(program (namespace_definition !body) @import)
(program (namespace_use_declaration) @import)
