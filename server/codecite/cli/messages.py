"""What the command line itself says, in English and Chinese.

Results as JSON and the engine's own errors are not translated: scripts and bug reports read those.
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
    "installed": {"en": "installed", "zh": "已安装"},
    "kept": {"en": "kept", "zh": "未变"},
    "removed": {"en": "removed", "zh": "已移除"},
    "left-alone": {"en": "left alone", "zh": "未改动"},
    "hook-present": {"en": "it is there already", "zh": "已经安装过"},
    "hook-beside": {"en": "what the hook did before it still does", "zh": "钩子原有的内容照常运行"},
    "hook-in-work-tree": {
        "en": "it lies among the files of a work tree, so git may list it as changed",
        "zh": "它位于工作树之内，git 可能将其列为改动",
    },
    "hook-absent": {"en": "there is no such hook", "zh": "没有这个钩子"},
    "hook-not-ours": {"en": "nothing in it is codecite's", "zh": "其中没有 codecite 的内容"},
    "hook-rest-kept": {"en": "the rest of the hook is as it was", "zh": "钩子的其余内容保持原样"},
    "hook-not-executable": {
        "en": "it is not executable, so git does not run it; `chmod +x` it and install again",
        "zh": "它没有执行权限，git 不会运行；请先 `chmod +x` 再安装",
    },
    "hook-link": {"en": "it is a link to {about}", "zh": "它是指向 {about} 的链接"},
    "hook-no-file": {"en": "it is not a file", "zh": "它不是文件"},
    "hook-no-shell-script": {
        "en": "it is no shell script; have it run `codecite hook nudge` by itself: {about}",
        "zh": "它不是 shell 脚本；可在其中自行调用 `codecite hook nudge`：{about}",
    },
    "hook-broken-section": {
        "en": "a mark of codecite's section in it is missing; take the section out by hand",
        "zh": "其中 codecite 段落缺少标记；请手动删除该段落",
    },
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
