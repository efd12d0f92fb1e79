"""What the import lines of a file say, read line by line without a grammar, and which files a module's name fits."""

import posixpath
import re
from collections.abc import Sequence

ENTRIES = frozenset(("index", "__init__", "mod", "lib", "main"))  # files that stand for their folder
_FROM_PYTHON = re.compile(r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_IMPORT_PYTHON = re.compile(r"^[ \t]*import[ \t]+([\w.][^\n#]*)", re.MULTILINE)
_FROM_SCRIPT = re.compile(
    r"""\b(?:import|export)\s+(?:type\s+)?([\w$*\s{},]+?)\s*from\s*["']([^"'\n]+)["']"""
)
_REQUIRE = re.compile(
    r"""\b(?:const|let|var)\s+([\w$]+|\{[^}]*\})\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*["']([^"'\n]+)["']"""
)
_DOTTED = re.compile(
    r"^[ \t]*(?:import|using|use|alias|pub use)[ \t]+(?:static[ \t]+)?([^\n;]+)", re.MULTILINE
)
_GO = re.compile(r"""^[ \t]*(?:import[ \t]+)?(?:([\w.]+)[ \t]+)?"([\w./-]+)"[ \t]*$""", re.MULTILINE)
_NAMES = re.compile(r"[\w$]+")
_AS = re.compile(r"([\w$.*]+)(?:\s+as\s+|\s*:\s*)([\w$]+)")

SCRIPTS = frozenset(("javascript", "typescript", "tsx", "vue", "svelte", "astro"))


class Imports:
    """What the import lines of a file say, as far as they can be read line by line.

    `modules` holds, by the name that is used here, the module that it comes from and what it is called there ("" where
    it is the module itself); `whole` says that something is imported without naming it (`from x import *`).
    """

    def __init__(self, language: str, text: str, go_module: tuple[str, str] | None = None) -> None:
        """Read a text. `go_module` is the name that its go.mod gives the module, and the folder of that file."""
        self.modules: dict[str, tuple[str, str]] = {}
        self.whole = False
        self.any = False
        if language == "python":
            self._python(text)
        elif language in SCRIPTS:
            self._script(text)
        elif language == "go":
            for alias, module in _GO.findall(text):
                self._add(alias or module.rsplit("/", 1)[-1], _of_go(module, go_module), "")
        else:
            self._dotted(text)

    def _add(self, name: str, module: str, there: str) -> None:
        self.any = True
        self.modules.setdefault(name, (module, there))

    def _python(self, text: str) -> None:
        for module, names in _FROM_PYTHON.findall(text):
            for one in re.sub(r"#[^\n]*", "", names).strip("() \t").split(","):
                there, _, here = one.strip().partition(" as ")
                self.whole |= there == "*"
                if there.strip():
                    self._add((here or there).strip(), module, there.strip())
        for modules in _IMPORT_PYTHON.findall(text):
            for one in modules.split(","):
                module, _, alias = one.strip().partition(" as ")
                self._add(
                    alias.strip() or module.split(".")[0],
                    module.strip() if alias else module.split(".")[0],
                    "",
                )

    def _script(self, text: str) -> None:
        for names, module in [*_FROM_SCRIPT.findall(text), *_REQUIRE.findall(text)]:
            inner = names[names.find("{") :] if "{" in names else ""
            renamed = {here: there for there, here in _AS.findall(names)}
            for name in _NAMES.findall(names):
                if name in ("as", "type", "default") or name in renamed.values():
                    continue
                there = renamed.get(name, name if name in _NAMES.findall(inner) else "")
                self._add(name, module, "" if there == "*" else there)

    def _dotted(self, text: str) -> None:
        """Java, Kotlin, Scala, C#, PHP, Rust and the like: the last word of the path is the name."""
        for path in _DOTTED.findall(text):
            head, brace, group = path.partition("{")
            module = ".".join(_NAMES.findall(head))
            if brace:
                for one in group.rstrip("} \t").split(","):
                    if found := _NAMES.findall(one):
                        self._add(found[-1], module, found[0])
            elif found := _NAMES.findall(head):
                self.whole |= "*" in head
                name = found[-1]
                there = found[-3] if len(found) > 2 and found[-2] == "as" else name
                self._add(name, module, there)


def _of_go(package: str, module: tuple[str, str] | None) -> str:
    """Return a package's folder in the workspace, "/" before it, where the module is known: "" for a foreign one."""
    if module is None:
        return package
    name, folder = module
    if f"{package}/".startswith(f"{name}/"):
        return f"/{posixpath.join(folder, package[len(name) :].lstrip('/'))}"
    return ""


def fit(path: str, module: str, here: str) -> int:
    """Say how well a file fits a module's name as an import gives it: 2 as that very file, 1 as one of its folder's."""
    file = re.sub(r"\.\w+$", "", path).split("/")
    if file[-1] in ENTRIES and len(file) > 1:
        file.pop()
    if module.startswith("/"):
        return _fit_exact(file, [part for part in module.split("/") if part])
    if module.startswith("."):
        return _fit_exact(file, _resolved(module, here))
    parts = [
        part for part in re.split(r"[./\\:]+", re.sub(r"\.(?:js|ts|jsx|tsx|mjs|vue)$", "", module)) if part
    ]
    parts = [part for part in parts if part not in ("crate", "@", "~", "src")]
    for wanted in (parts, parts[:-1]):
        if wanted and file[-len(wanted) :] == wanted:
            return 2
        if wanted and any(file[n : n + len(wanted)] == wanted for n in range(len(file))):
            return 1
    return 0


def _fit_exact(file: Sequence[str], wanted: Sequence[str]) -> int:
    if list(file) == list(wanted):
        return 2
    return int(list(file[: len(wanted)]) == list(wanted))


def _resolved(module: str, here: str) -> list[str]:
    folder = posixpath.dirname(here)
    if "/" in module or module in (".", ".."):
        path = posixpath.normpath(posixpath.join(folder, re.sub(r"\.(?:js|ts|jsx|tsx|mjs|vue)$", "", module)))
    else:  # of Python: one dot is the package itself, each further one the package around it
        dots = len(module) - len(module.lstrip("."))
        path = posixpath.normpath(
            posixpath.join(folder, *[".."] * (dots - 1), module[dots:].replace(".", "/"))
        )
    parts = [part for part in path.split("/") if part != "."]
    return parts[:-1] if parts and parts[-1] in ENTRIES else parts
