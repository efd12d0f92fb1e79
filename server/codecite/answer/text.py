"""The sentences of answers, in the language of the question."""

from codecite.model.texts import Texts

_SENTENCES = Texts(
    {
        "found": {
            "en": "Found in {count} places ({files} searched):",
            "zh": "共找到 {count} 处（搜索了 {files}）：",
        },
        "found_one": {
            "en": "Found in one place ({files} searched):",
            "zh": "找到 1 处（搜索了 {files}）：",
        },
        "place": {"en": "{place} {why}", "zh": "{place} {why}"},
        "nothing": {
            "en": "No evidence found; searched {files}.",
            "zh": "没有找到依据；搜索了 {files}。",
        },
        "nothing_near": {
            "en": "No evidence found; searched {files}; nearest: {nearest}.",
            "zh": "没有找到依据；搜索了 {files}；最接近的是：{nearest}。",
        },
        "unknown_name": {"en": "Nothing here is named {names}.", "zh": "这里没有名为 {names} 的定义。"},
        "file": {"en": "1 file", "zh": "1 个文件"},
        "files": {"en": "{count} files", "zh": "{count} 个文件"},
        "separator": {"en": ", ", "zh": "、"},
        # What an answer could not see.
        "indexing": {
            "en": "indexing is under way: {done} of {total} files read",
            "zh": "正在建立索引：已读取 {done} / {total} 个文件",
        },
        "not_finished": {"en": "the first index has not finished", "zh": "首次索引尚未完成"},
        "all_changed": {
            "en": "files changed a moment ago and will be looked at",
            "zh": "有文件刚刚改动，稍后会读取",
        },
        "one_changed": {
            "en": "1 file changed a moment ago and will be looked at",
            "zh": "有 1 个文件刚刚改动，稍后会读取",
        },
        "changed": {
            "en": "{count} files changed a moment ago and will be looked at",
            "zh": "有 {count} 个文件刚刚改动，稍后会读取",
        },
        "no_vectors": {
            "en": "vectors are being built: answered by keyword and symbol",
            "zh": "向量仍在生成：本次按关键词与符号回答",
        },
        "vectors_unread": {
            "en": "vectors are being loaded: answered by keyword and symbol",
            "zh": "正在载入向量：本次按关键词与符号回答",
        },
        "unasked": {
            "en": "{reason}: answered by keyword and symbol",
            "zh": "{reason}：本次按关键词与符号回答",
        },
        "failed": {"en": "the last update failed: {reason}", "zh": "上次更新失败：{reason}"},
        "long": {
            "en": "an update has been running for {minutes:.0f} minutes",
            "zh": "有一次更新已运行 {minutes:.0f} 分钟",
        },
        "stale": {
            "en": "no update has succeeded for {hours:.0f} hours while changes wait",
            "zh": "{hours:.0f} 小时以来没有成功的更新，仍有改动在等待",
        },
        "unconfirmed": {
            "en": "`{symbol}` stood at {place} before the file stopped parsing (unconfirmed)",
            "zh": "在文件无法解析之前，`{symbol}` 位于 {place}（未确认）",
        },
    }
)

say = _SENTENCES.say
