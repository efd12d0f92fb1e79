"""Put what is known of a name into the few lines of a hover, in Markdown or plain text, English or Chinese.

Whatever comes from code is data: signatures stand in fences that they cannot close, names in code spans, documentation
is escaped, so that none of it becomes a link, an image, HTML or a command.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codecite.model.texts import Script, Texts

LONGEST_DOC = 400  # characters of the first paragraph

Link = Callable[[Mapping[str, Any]], str]  # the address of a citation, with the line

_SENTENCES = Texts(
    {
        "is": {"en": "{kind} {symbol}, defined in {place}", "zh": "{kind} {symbol}，定义于 {place}"},
        "itself": {"en": "{kind} {symbol}", "zh": "{kind} {symbol}"},
        "unknown_receiver": {
            "en": "This is the only {name} in the workspace; what it is called on is not known.",
            "zh": "这是工作区中唯一的 {name}；无法得知它属于哪个对象。",
        },
        "several": {
            "en": "{name} has {count} definitions in the workspace; which one is meant is not certain:",
            "zh": "工作区中有 {count} 处 {name} 的定义，无法确定是哪一处：",
        },
        "one_of_module": {
            "en": "This file takes {name} from {module}; the workspace defines one of that name:",
            "zh": "此文件从 {module} 导入 {name}；工作区中有 1 处同名定义：",
        },
        "some_of_module": {
            "en": "This file takes {name} from {module}; the workspace has {count} definitions of that name:",
            "zh": "此文件从 {module} 导入 {name}；工作区中有 {count} 处同名定义：",
        },
        "one": {"en": "{place}: {kind} {symbol}", "zh": "{place}：{kind} {symbol}"},
        "more": {"en": "and {count} more", "zh": "还有 {count} 处"},
        "mentioned": {
            "en": "{name} is mentioned in {places} in {files}{list}",
            "zh": "{name} 在 {files}中被提到 {places}{list}",
        },
        "mentioned_at_least": {
            "en": "{name} is mentioned in at least {places} in {files}{list}",
            "zh": "{name} 至少在 {files}中被提到 {places}{list}",
        },
        "unmentioned": {"en": "{name} is mentioned nowhere else.", "zh": "{name} 没有在别处被提到。"},
        "places": {"en": "{count} places", "zh": "{count} 处"},
        "one_place": {"en": "1 place", "zh": "1 处"},
        "files": {"en": "{count} files", "zh": "{count} 个文件"},
        "one_file": {"en": "1 file", "zh": "1 个文件"},
        "first": {"en": ": {places}", "zh": "：{places}"},
        "tests": {"en": "tests: {places}", "zh": "测试：{places}"},
        "comma": {"en": ", ", "zh": "、"},
        "semicolon": {"en": "; ", "zh": "；"},
        "building": {
            "en": "The index is still being built: there may be more.",
            "zh": "索引还在建立：可能还有更多。",
        },
        "failing": {
            "en": "The last update of the index failed: this may be out of date.",
            "zh": "索引上次更新失败：内容可能已过时。",
        },
        "unread": {
            "en": "Unsaved changes of this file are not read yet.",
            "zh": "此文件未保存的修改还没有读入。",
        },
    }
)
_KINDS = {
    "function": "函数", "method": "方法", "class": "类", "interface": "接口", "enum": "枚举", "struct": "结构体",
    "trait": "特征", "module": "模块", "variable": "变量", "type": "类型", "field": "字段", "key": "配置项",
    "heading": "标题", "macro": "宏", "constant": "常量",
}  # fmt: skip
_FENCES = {"tsx": "typescriptreact", "bash": "shellscript"}  # the names that editors colour by
_TAG = re.compile(r"^\s*(?:@\w|:\w+|\\\w|Args:|Arguments:|Parameters:|Returns:|>>>|```|---|===)")
_MEANING = re.compile(r"([\\`*_\[\]<>|~&!$@{}])")  # what can begin something in Markdown, wherever it stands
_AT_START = re.compile(r"^(\s*)([#+=-]|\d+(?=[.)]))")
_ADDRESS = re.compile(r"(?i)(www)(\.)|(:)(//)")


@dataclass(frozen=True, slots=True)
class Hover:
    """Writes the hover of one description, as `description_json` gives it. `link` makes addresses."""

    told: Mapping[str, Any]
    link: Link
    script: Script
    markdown: bool

    def text(self) -> str:
        """Return the whole text."""
        parts = self._single() if self.told["reason"] else self._several()
        parts += [self._aside(self._say(lack)) for lack in self.told["lacks"]]
        return "\n\n".join(filter(None, parts))

    def _single(self) -> list[str]:
        (one,) = self.told["definitions"]
        told = "itself" if self.told["reason"] == "itself" else "is"
        parts = [self._signature(one), self._say(told, **self._named(one)), self._doc(one["doc"])]
        if self.told["receiver_unknown"]:
            parts.append(self._aside(self._say("unknown_receiver", name=self._code(self.told["name"]))))
        return [*parts, self._mentions(self.told["mentions"])]

    def _several(self) -> list[str]:
        total, name, module = (
            self.told["total"],
            self._code(self.told["name"]),
            self.told["imported_from"],
        )
        sentence = "several" if not module else "one_of_module" if total == 1 else "some_of_module"
        head = self._say(sentence, name=name, count=total, module=self._code(module))
        entries = [self._say("one", **self._named(one)) for one in self.told["definitions"]]
        if total > len(entries):
            entries.append(self._say("more", count=total - len(entries)))
        return [head, "\n".join(f"- {entry}" for entry in entries)]

    def _mentions(self, mentions: Mapping[str, Any] | None) -> str:
        if mentions is None:
            return ""
        name = self._code(self.told["name"])
        if not mentions["places"]:
            return self._say("unmentioned", name=name) if mentions["complete"] else ""
        groups = []
        if mentions["code"]:
            groups.append(self._places(mentions["code"]))
        if mentions["tests"]:
            groups.append(self._say("tests", places=self._places(mentions["tests"])))
        listed = self._say("first", places=self._say("semicolon").join(groups)) if groups else ""
        return self._say(
            "mentioned" if mentions["complete"] else "mentioned_at_least",
            name=name,
            places=self._count("place", mentions["places"]),
            files=self._count("file", mentions["files"]),
            list=listed,
        )

    # --- pieces -----------------------------------------------------------------------------------------------------

    def _named(self, one: Mapping[str, Any]) -> dict[str, str]:
        kind = _KINDS.get(one["kind"], one["kind"]) if self.script == "zh" else one["kind"]
        citation = one["citation"]
        return {"kind": kind, "symbol": self._code(citation["symbol"]), "place": self._place(citation)}

    def _signature(self, one: Mapping[str, Any]) -> str:
        signature = one["signature"]
        if not signature or not self.markdown:
            return str(signature)
        language = one["citation"]["language"]
        fence = _longer_than_any(signature, 3)
        return f"{fence}{_FENCES.get(language, language)}\n{signature}\n{fence}"

    def _doc(self, doc: str) -> str:
        text = first_paragraph(doc)
        return escaped(text) if self.markdown else text

    def _places(self, citations: Sequence[Mapping[str, Any]]) -> str:
        return self._say("comma").join(map(self._place, citations))

    def _place(self, citation: Mapping[str, Any]) -> str:
        focus = citation["focus"]
        label = f"{citation['path']}:{focus['line'] if focus else citation['start_line']}"
        label = "".join(one if one.isprintable() else "\ufffd" for one in label)
        return f"[{escaped(label)}]({self.link(citation)})" if self.markdown else label

    def _code(self, name: str) -> str:
        if not self.markdown:
            return name
        fence = _longer_than_any(name, 1)
        return f"{fence} {name} {fence}" if "`" in name else f"`{name}`"

    def _aside(self, text: str) -> str:
        return f"*{text}*" if self.markdown else text

    def _count(self, what: str, count: int) -> str:
        return self._say(f"one_{what}" if count == 1 else f"{what}s", count=count)

    def _say(self, sentence: str, **values: object) -> str:
        return _SENTENCES.say(self.script, sentence, **values)


def first_paragraph(doc: str) -> str:
    """Return the first paragraph as one line, shortened, without the tags that follow it."""
    kept: list[str] = []
    for line in doc.strip().splitlines():
        if not line.strip() or (kept and _TAG.match(line)):
            break
        kept.append(line.strip())
    text = " ".join(" ".join(kept).split())
    return text if len(text) <= LONGEST_DOC else f"{text[:LONGEST_DOC].rsplit(' ', 1)[0]} …"


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    text = _AT_START.sub(r"\1\\\2", _MEANING.sub(r"\\\1", text))
    return _ADDRESS.sub(lambda match: rf"{match[1]}\." if match[1] else r":\//", text)


def _longer_than_any(text: str, least: int) -> str:
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))
