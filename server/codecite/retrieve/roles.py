"""What part a file plays in a repository, read from its path, and how much that counts for or against it.

A question about code is answered by code: tests, examples and documents repeat its words more often than the code
does, so without priors they stand above it. The factors multiply; one that the question asks for is softened, one whose
own folder or file the question names is lifted altogether. The factors were chosen by measurement on questions over
public repositories, one repository left out at a time.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from codecite.model import terms as words_of

Role = Literal["code", "test", "example", "docs", "config", "translation", "changelog", "other"]
Flag = Literal["old-version", "vendored", "generated", "hidden", "re-export"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEST_DIRS = _words(
    "test tests __tests__ spec specs testsuite test_suite testdata __mocks__ __snapshots__ fixtures e2e testing_data "
    "unittests androidtest testfixtures cypress test-suite"
)
_EXAMPLE_DIRS = _words(
    "example examples sample samples demo demos docs_src docs-src benchmark benchmarks bench benches play playground "
    "snippets cookbook tutorial tutorials"
)
_DOC_DIRS = _words("doc docs documentation manual website wiki man")
_VENDORED_DIRS = _words(
    "vendor vendored _vendor third_party third-party thirdparty node_modules external extern deps"
)
_GENERATED_DIRS = _words("generated gen __generated__ dist build _build autogen")
_LOCALE_DIRS = _words("locale locales lang langs i18n l10n translations lc_messages")
_CONFIG_DIRS = _words(".github .circleci .gitlab .vscode .idea .husky .changeset .config .devcontainer")

_TEST_NAME = re.compile(
    r"(?:^test_.+|^tests?$|.+_tests?$|.+[._-](?:test|spec)s?$|.+_spec$|^spec_helper$|^test_helper$|^conftest$"
    r"|.*[a-z0-9](?:Test|Tests|TestCase|IT|Spec)$|^Test[A-Z].*)"
)
_CODE = _words(
    "py pyi pyx js jsx mjs cjs ts tsx mts cts java kt kts scala groovy go rs c h cc cpp cxx hpp hh hxx ipp inl m mm "
    "cs fs vb rb php swift dart lua pl pm r jl ex exs erl hrl clj cljs hs ml mli elm nim zig d v vhd sv sh bash zsh "
    "fish ps1 sql proto thrift graphql vue svelte astro sol cu cuh f90 f pas asm s el lisp scm rkt tcl hx gd cr"
)
_DOCS = _words("md mdx markdown rst adoc asciidoc tex texi org pod textile rdoc 1 3 7 8 man")
_CONFIG = _words(
    "toml yml yaml json json5 jsonc ini cfg conf config properties gradle cmake mk mak bazel bzl nix tf tfvars hcl env "
    "lock plist csproj sln props targets gemspec podspec cabal spec editorconfig xcconfig in"
)
_CONFIG_NAMES = re.compile(
    r"(?:cmakelists\.txt|(?:gnu)?makefile|dockerfile.*|containerfile|rakefile|gemfile|procfile|vagrantfile|jenkinsfile"
    r"|build|workspace|justfile|setup\.py|setup\.cfg|noxfile\.py|pom\.xml|go\.(?:mod|sum)|requirements.*\.txt"
    r"|.*\.config\.[cm]?[jt]s|phpunit\.xml.*|phpstan.*|manifest\.in|pipfile|codeowners)"
)
_DOC_NAMES = re.compile(
    r"(?:readme|contributing|license|licence|copying|authors|contributors|maintainers|security|code_of_conduct|notice"
    r"|faq|install|todo|support|governance|upgrading)(?:[._-].*)?"
)
_CHANGELOG = re.compile(
    r"(?:change(?:s|log)|history|news|releases?|release[-_]?notes?|whats[-_]?new)(?:[._-].*)?"
)
_GENERATED_NAME = re.compile(
    r".*(?:\.min\.(?:js|css)|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)|\.g\.dart|\.designer\.cs)"
)
_VERSION = re.compile(r"v(\d{1,3})")
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_](?:[a-z]{2}|hans|hant|latn))?")
_NOT_LANGUAGES = _words("js ts py go rs rb cc cs md db io ui id ip os to in js by up v1 v2 v3 v4")
_ENTRY_STEMS = _words("mod index __init__ lib main")


@dataclass(frozen=True, slots=True)
class Place:
    """What a path alone says of a file: its role, flags, and the stems that name it.

    `stem` holds the terms of the file's own name (the folder's for `index`, `mod` and the like), `parent` those of its
    folder, `above` those of the folders above; `stem_name` is the name's compound, lower-cased.
    """

    role: Role
    flags: frozenset[Flag]
    stem: frozenset[str]
    parent: frozenset[str]
    above: frozenset[str]
    stem_name: str
    stem_words: tuple[str, ...]


def place(path: str) -> Place:
    """Read a workspace-relative POSIX path."""
    pure = PurePosixPath(path)
    folders = [part.lower() for part in pure.parts[:-1]]
    stem = pure.name.lstrip(".").split(".", 1)[0]
    named_by_folder = stem.lower() in _ENTRY_STEMS and bool(folders)
    own = pure.parts[-2] if named_by_folder else stem
    parents = pure.parts[:-2] if named_by_folder else pure.parts[:-1]
    words = words_of.subwords(own)
    return Place(
        role=_role(pure, folders),
        flags=frozenset(_flags(pure, folders)),
        stem=frozenset(words_of.terms(own)),
        parent=frozenset(words_of.terms(parents[-1])) if parents else frozenset(),
        above=frozenset(words_of.terms(" ".join(parents[:-1]))),
        stem_name="".join(words),
        stem_words=tuple(words_of.stem(word) for word in words),
    )


def _role(pure: PurePosixPath, folders: list[str]) -> Role:
    name = pure.name.lower()
    extension = pure.suffix.lower().lstrip(".")
    rules: tuple[tuple[Role, Callable[[], bool]], ...] = (
        ("test", lambda: _is_test(pure, folders)),
        ("changelog", lambda: bool(_CHANGELOG.fullmatch(name)) and extension not in _CODE),
        ("translation", lambda: _is_translation(pure, folders)),
        ("config", lambda: bool(_CONFIG_DIRS.intersection(folders)) and extension not in _DOCS),
        ("example", lambda: bool(_EXAMPLE_DIRS.intersection(folders))),
        ("docs", lambda: extension in _DOCS or (bool(_DOC_NAMES.fullmatch(name)) and extension not in _CODE)),
        ("config", lambda: bool(_CONFIG_NAMES.fullmatch(name))),
        ("docs", lambda: bool(_DOC_DIRS.intersection(folders)) and extension not in _CONFIG),
        ("config", lambda: extension in _CONFIG or name.startswith(".")),
        ("code", lambda: extension in _CODE),
    )
    return next((role for role, holds in rules if holds()), "other")


def _is_test(pure: PurePosixPath, folders: list[str]) -> bool:
    """Say whether a file is in a folder of tests or named like a test.

    `testing.py` is a library's help for its users' tests, `workflows/test.yml` is configuration, and a Python
    package's own `test` module (`package/test/client.py`) is product code unless the file is named like a test.
    """
    extension = pure.suffix.lower().lstrip(".")
    if extension in _CODE and _TEST_NAME.fullmatch(
        pure.name.split(".")[0] if extension == "py" else pure.stem
    ):
        return True
    if _CONFIG_DIRS.intersection(folders):
        return False
    found = _TEST_DIRS.intersection(folders)
    if (
        found == {"test"}
        and extension in {"py", "pyi"}
        and len(folders) > 1
        and folders[0] not in {"test", "src"}
    ):
        return False
    return bool(found)


def _is_translation(pure: PurePosixPath, folders: list[str]) -> bool:
    """Text in another language than the repository's: under a folder or a name that is a language code."""
    if pure.suffix.lower() in {".po", ".mo", ".pot", ".xlf", ".arb"}:
        return True
    parts = [*folders, pure.name.lower().split(".")[0]]
    docs = bool(_DOC_DIRS.intersection(folders))
    if not docs and not _LOCALE_DIRS.intersection(folders):
        suffixes = pure.name.lower().split(".")[1:-1]
        return pure.suffix.lower() in {".md", ".rst"} and any(_is_language(part) for part in suffixes)
    first = next(i for i, part in enumerate(parts) if part in _DOC_DIRS or part in _LOCALE_DIRS)
    return any(_is_language(part) for part in parts[first + 1 :][: 2 if docs else None])


def _is_language(part: str) -> bool:
    code = re.split(r"[-_]", part)[0]
    return bool(_LANGUAGE.fullmatch(part)) and code != "en" and part not in _NOT_LANGUAGES


def _flags(pure: PurePosixPath, folders: list[str]) -> Iterable[Flag]:
    name = pure.name.lower()
    if _VENDORED_DIRS.intersection(folders):
        yield "vendored"
    if _GENERATED_DIRS.intersection(folders) or _GENERATED_NAME.fullmatch(name):
        yield "generated"
    if name == "__init__.py" or re.fullmatch(r"index\.[cm]?[jt]sx?", name):
        yield "re-export"
    if any(part.startswith(".") for part in pure.parts):
        yield "hidden"


def old_version_folders(paths: Iterable[str]) -> frozenset[str]:
    """Return the folders `…/vN` that stand beside a `…/vM` with a higher number."""
    versions: dict[str, dict[str, int]] = {}
    for path in paths:
        parts = path.split("/")[:-1]
        for depth, part in enumerate(parts):
            if found := _VERSION.fullmatch(part.lower()):
                folder = "/".join(parts[: depth + 1])
                versions.setdefault("/".join(parts[:depth]), {})[folder] = int(found.group(1))
    return frozenset(
        folder for beside in versions.values() for folder, n in beside.items() if n < max(beside.values())
    )
