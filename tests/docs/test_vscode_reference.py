"""The reference of the extension is written from its manifest: `python tests/docs/test_vscode_reference.py` writes it."""

import json
import re
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "docs/reference/vscode.md"
CLIENT = TOP / "vscode-client"


def page() -> str:
    """Return the page that the manifest and its English texts make."""
    texts = json.loads((CLIENT / "package.nls.json").read_text(encoding="utf-8"))
    named = re.sub(
        r'"%([^%"]+)%"',
        lambda match: json.dumps(texts[match[1]]),
        (CLIENT / "package.json").read_text(encoding="utf-8"),
    )
    contributed = json.loads(named)["contributes"]
    commands = [
        f"| {one['category']}: {one['title']} | `{one['command']}` |" for one in contributed["commands"]
    ]
    settings = sorted(contributed["configuration"]["properties"].items(), key=lambda item: item[1]["order"])
    return "\n".join(
        [
            "# Extension for VS Code",
            "",
            "<!-- Written by `python tests/docs/test_vscode_reference.py`; edit vscode-client/package.json instead. -->",
            "",
            "## Commands",
            "",
            "| command | id |",
            "|---|---|",
            *commands,
            "",
            "## Settings",
            "",
            "| setting | default | where | meaning |",
            "|---|---|---|---|",
            *(_row(name, setting) for name, setting in settings),
            "",
            "*Where*: `machine` is the user's settings of the machine that the server runs on, never a workspace's;",
            "`window` the user's or a workspace's; `resource` a folder's, too.",
            "",
        ]
    )


def _row(name: str, setting: dict[str, Any]) -> str:
    meaning = setting["markdownDescription"]
    if "minimum" in setting:
        meaning += f" {setting['minimum']} to {setting['maximum']}."
    for value, words in zip(
        setting.get("enum", ()), setting.get("markdownEnumDescriptions", ()), strict=True
    ):
        meaning += f" `{value}`: {words}"
    return f"| `{name}` | `{json.dumps(setting['default'])}` | `{setting['scope']}` | {meaning} |"


def test_the_reference_is_what_the_manifest_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python tests/docs/test_vscode_reference.py`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
