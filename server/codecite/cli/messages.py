"""What the command line itself says on standard error, in English and Chinese.

Results and the engine's own errors are not translated: scripts and bug reports read those.
"""

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]

_MESSAGES: dict[str, dict[Language, str]] = {
    "error": {"en": "codecite: {what}", "zh": "codecite：{what}"},
    "error-mend": {"en": "codecite: {what}; {mend}", "zh": "codecite：{what}；{mend}"},
    "cancelled": {"en": "codecite: cancelled", "zh": "codecite：已取消"},
    "no-folder": {"en": "{path} is not a folder", "zh": "{path} 不是文件夹"},
    "no-folder-mend": {
        "en": "name an existing folder after --workspace",
        "zh": "请在 --workspace 之后给出一个已存在的文件夹",
    },
    "empty-question": {"en": "the question is empty", "zh": "问题是空的"},
    "empty-question-mend": {
        "en": 'ask something, for example: codecite ask "where are settings read?"',
        "zh": "请提出问题，例如：codecite ask “配置在哪里读取？”",
    },
    "outside": {
        "en": "{path} is outside of the workspace {workspace}",
        "zh": "{path} 不在工作区 {workspace} 之内",
    },
    "outside-mend": {
        "en": "name its own workspace with --workspace",
        "zh": "请用 --workspace 指定它所在的工作区",
    },
    "working": {"en": "working", "zh": "处理中"},
    "scan": {"en": "scanning files", "zh": "扫描文件"},
    "parse": {"en": "reading files", "zh": "读取文件"},
    "embed": {"en": "making vectors", "zh": "生成向量"},
    "vectors": {"en": "storing vectors", "zh": "写入向量"},
    "eval": {"en": "searching", "zh": "检索中"},
    "below": {
        "en": "codecite: {metric} is {value:.3f}, below the minimum {bound:.3f}",
        "zh": "codecite：{metric} 为 {value:.3f}，低于下限 {bound:.3f}",
    },
}


def language_of(environment: Mapping[str, str]) -> Language:
    """Return the language of messages by the first of POSIX's variables that is set."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def message(language: Language, name: str, /, **values: object) -> str:
    """Return a message of the table with its values filled in. Raises KeyError for an unknown name."""
    return _MESSAGES[name][language].format(**values)


def known(name: str) -> bool:
    """Say whether the table has a message of this name."""
    return name in _MESSAGES
