(comment) @comment
(string) @string
(heredoc_body) @string
(regex) @string
(subshell) @string
(program (call method: (identifier) @_method) @import (#any-of? @_method "require" "require_relative"))
