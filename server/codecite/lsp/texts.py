"""What the language server itself says, in the client's language: titles and steps of progress."""

from codecite.model.texts import Texts

TEXTS = Texts(
    {
        "asking": {"en": "Asking", "zh": "正在提问"},
        "indexing": {"en": "Indexing", "zh": "正在索引"},
        "indexing-folder": {"en": "Indexing {name}", "zh": "正在索引 {name}"},
        "scan": {"en": "looking at the files", "zh": "正在查看文件"},
        "parse": {"en": "reading files", "zh": "正在读取文件"},
        "embed": {"en": "making vectors", "zh": "正在生成向量"},
        "vectors": {"en": "storing vectors", "zh": "正在写入向量"},
        "step": {"en": "{what}: {done} of {total}", "zh": "{what}：{done} / {total}"},
    }
)

say = TEXTS.say
