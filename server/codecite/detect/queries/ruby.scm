; A body may be empty here: the whole stands for it.
(method name: (_) @name) @definition.function @body
(singleton_method name: (_) @name) @definition.function @body
(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(program (assignment left: (constant) @name) @definition.constant)
(body_statement (assignment left: (constant) @name) @definition.constant)

(comment) @comment
(string) @string
(heredoc_body) @string
(regex) @string
(subshell) @string
(program (call method: (identifier) @_method) @import (#any-of? @_method "require" "require_relative"))
