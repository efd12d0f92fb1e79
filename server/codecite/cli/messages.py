"""What the command line itself says, in English and Chinese.

Results as JSON and the engine's own errors are not translated: scripts and bug reports read those.
"""

from collections.abc import Mapping
from typing import TypeAlias

from codecite.model.texts import Script, Texts

Language: TypeAlias = Script

MESSAGES = Texts(
    {
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
        "current": {"en": "current", "zh": "最新"},
        "stale": {"en": "stale", "zh": "过期"},
        "ghost": {"en": "ghost", "zh": "幽灵"},
        "missing": {"en": "missing", "zh": "缺失"},
        "refused": {"en": "refused", "zh": "被拒"},
        "ignored": {"en": "ignored", "zh": "被忽略"},
        "unknown": {"en": "unknown", "zh": "未知"},
        "why-current": {
            "en": "The index holds exactly what is on disk.",
            "zh": "索引内容与磁盘上的文件完全一致。",
        },
        "why-stale": {"en": "The file has changed since it was indexed.", "zh": "文件在索引之后已被修改。"},
        "why-ghost": {
            "en": "The index still holds a file that is not on disk any more.",
            "zh": "索引中仍有此文件，但磁盘上已经没有了。",
        },
        "why-missing": {
            "en": "The file can be indexed but has not been read yet.",
            "zh": "文件可以被索引，但尚未读取。",
        },
        "why-refused": {
            "en": "The file is left out: {reason} ({detail}).",
            "zh": "文件未被收录：{reason}（{detail}）。",
        },
        "why-ignored": {
            "en": "Git's ignore rules leave the file out.",
            "zh": "文件被 git 的忽略规则排除。",
        },
        "why-gone": {
            "en": "The file is gone, from the disk and from the index.",
            "zh": "文件已从磁盘和索引中消失。",
        },
        "still-indexed": {"en": "Yet the index still holds it.", "zh": "但索引中仍有它。"},
        "why-unknown": {
            "en": "Neither the index nor the disk has such a file.",
            "zh": "索引和磁盘上都没有这个文件。",
        },
        "indexed": {
            "en": "Indexed {at}{commit}: {size:,} bytes, {lines:,} lines of {language}, SHA-256 {sha}.",
            "zh": "索引于 {at}{commit}：{size:,} 字节，{lines:,} 行 {language}，SHA-256 {sha}。",
        },
        "at-commit": {"en": " at commit {commit}", "zh": "（提交 {commit}）"},
        "unclean": {
            "en": "It did not parse cleanly, so its blocks may be rough.",
            "zh": "文件解析时有错误，分块可能不精确。",
        },
        "not-indexed": {"en": "Not in the index.", "zh": "不在索引中。"},
        "on-disk": {
            "en": "On disk since {at}: {size:,} bytes, SHA-256 {sha}.",
            "zh": "磁盘上（{at}）：{size:,} 字节，SHA-256 {sha}。",
        },
        "on-disk-unread": {
            "en": "On disk, but not read: {problem}.",
            "zh": "磁盘上存在，但未读取：{problem}。",
        },
        "not-on-disk": {"en": "Not on disk.", "zh": "磁盘上不存在。"},
        "head-moved": {"en": "HEAD is now at {head}.", "zh": "HEAD 现在位于 {head}。"},
        "no-block": {
            "en": "Line {line} is in no block of the index.",
            "zh": "第 {line} 行不在索引的任何分块中。",
        },
        "block": {
            "en": "Line {line} was indexed in lines {first}-{last}{symbol}.",
            "zh": "第 {line} 行索引于第 {first}-{last} 行{symbol}。",
        },
        "block-fresh": {"en": "Its text stands there now.", "zh": "其文本现在仍在原处。"},
        "block-moved": {
            "en": "Its text now stands at lines {first}-{last}.",
            "zh": "其文本现在位于第 {first}-{last} 行。",
        },
        "block-gone": {
            "en": "Its text stands nowhere in the file as it is now.",
            "zh": "其文本在文件的当前内容中已不存在。",
        },
        "vector-stored": {"en": "Its vector is stored.", "zh": "其向量已存入。"},
        "vector-lost": {
            "en": "Its vector is made, but the vector store does not have it.",
            "zh": "其向量已生成，但向量库中没有。",
        },
        "vector-none": {
            "en": "It has no vector: found by words and symbols alone.",
            "zh": "它没有向量：只能按词语和符号检索。",
        },
        "last-removed": {
            "en": "Removed {at} ({reason}): {id}",
            "zh": "移除于 {at}（{reason}）：{id}",
        },
        "mend-repair": {
            "en": "Mend: codecite doctor --repair with the same path has it read again.",
            "zh": "修复：对同一路径运行 codecite doctor --repair，会重新读取该文件。",
        },
        "mend-name": {"en": "Mend: check the name of the file.", "zh": "修复：请检查文件名。"},
        "status-workspace": {"en": "workspace", "zh": "工作区"},
        "status-store": {"en": "store", "zh": "存储"},
        "status-files": {"en": "files", "zh": "文件"},
        "status-files-are": {
            "en": "{indexed:,} indexed, {refused:,} refused",
            "zh": "已索引 {indexed:,} 个，被拒 {refused:,} 个",
        },
        "status-blocks": {"en": "blocks", "zh": "分块"},
        "status-blocks-are": {
            "en": "{total:,}; definitions: {definitions:,}",
            "zh": "{total:,} 个；定义：{definitions:,} 个",
        },
        "status-vectors": {"en": "vectors", "zh": "向量"},
        "status-vectors-wait": {"en": ", {waiting:,} waiting", "zh": "，{waiting:,} 个待生成"},
        "status-vectors-made": {"en": ", all made", "zh": "，全部已生成"},
        "status-updated": {"en": "updated", "zh": "更新于"},
        "status-never": {"en": "never", "zh": "从未"},
        "status-git": {"en": "git", "zh": "git"},
        "status-operation": {"en": "in the middle of a {operation}", "zh": "正在进行 {operation}"},
        "status-detached": {"en": "on no branch (detached HEAD)", "zh": "不在任何分支上（HEAD 分离）"},
        "status-conflicts": {"en": "conflicts", "zh": "合并冲突"},
        "status-running": {"en": "running", "zh": "进行中"},
        "status-waiting": {"en": "waiting", "zh": "等待中"},
        "status-since": {"en": "for {seconds:.0f} s: {causes}", "zh": "已 {seconds:.0f} 秒：{causes}"},
        "status-left": {
            "en": "; {files_left:,} of {files_total:,} files left",
            "zh": "；剩余 {files_left:,} / {files_total:,} 个文件",
        },
        "status-failing": {"en": "failing", "zh": "失败"},
        "status-failing-is": {
            "en": "since {since}, {failures} times in a row: {error}",
            "zh": "自 {since} 起连续 {failures} 次：{error}",
        },
        "status-again": {"en": "; tried again in {seconds:.0f} s", "zh": "；{seconds:.0f} 秒后重试"},
        "status-withheld": {"en": "withheld", "zh": "待确认"},
        "status-withheld-is": {
            "en": "gone from files that do not parse, until these do: {names}",
            "zh": "所在文件暂时无法解析而消失，解析后再确认：{names}",
        },
        "status-degraded": {"en": "degraded", "zh": "降级"},
        "status-problems": {"en": "problems", "zh": "问题"},
        "status-engine": {"en": "engine", "zh": "引擎"},
        "status-engine-is": {"en": "process {pid}, version {version}", "zh": "进程 {pid}，版本 {version}"},
        "below": {
            "en": "codecite: {metric} is {value:.3f}, below the minimum {bound:.3f}",
            "zh": "codecite：{metric} 为 {value:.3f}，低于下限 {bound:.3f}",
        },
    }
)

message = MESSAGES.say


def language_of(environment: Mapping[str, str]) -> Language:
    """Return the language of messages by the first of POSIX's variables that is set."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
