(comment) @comment
(string_literal) @string
(char_literal) @string
(translation_unit (preproc_include) @import)
(ERROR) @error
