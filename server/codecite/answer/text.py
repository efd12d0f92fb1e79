"""The sentences of answers, in the language of the question."""

from typing import Literal

Script = Literal["en", "zh"]

_SENTENCES: dict[str, dict[Script, str]] = {
    "found": {
        "en": "Found in {count} places ({files} files searched):",
        "zh": "共找到 {count} 处（搜索了 {files} 个文件）：",
    },
    "found_one": {
        "en": "Found in one place ({files} files searched):",
        "zh": "找到 1 处（搜索了 {files} 个文件）：",
    },
    "place": {"en": "{place} {why}", "zh": "{place} {why}"},
    "nothing": {
        "en": "No evidence found; searched {files} files.",
        "zh": "没有找到依据；搜索了 {files} 个文件。",
    },
    "nothing_near": {
        "en": "No evidence found; searched {files} files; nearest: {nearest}.",
        "zh": "没有找到依据；搜索了 {files} 个文件；最接近的是：{nearest}。",
    },
    "unknown_name": {"en": "Nothing here is named {names}.", "zh": "这里没有名为 {names} 的定义。"},
    "separator": {"en": ", ", "zh": "、"},
}


def say(script: Script, sentence: str, **values: object) -> str:
    """Return a sentence with its values filled in; raise KeyError for one that is not in the table."""
    return _SENTENCES[sentence][script].format(**values)
