"""Which language a file is in, told by its name and first line.

Names are those of the tree-sitter grammars where there is one. `PARSED` are the languages with query files of
their own, `GENERIC` the further grammars that were tested, on broken text too. No other grammar is ever loaded:
`cobol` and `perl` hang on some input, `d` crashes the process.
"""

import re
from pathlib import PurePosixPath

from codecite.detect.generic import TABLES

PARSED = frozenset(
    [
        "python",
        "javascript",
        "typescript",
        "tsx",
        "go",
        "rust",
        "java",
        "c",
        "cpp",
        "csharp",
        "ruby",
        "php",
        "bash",
    ]
)
GENERIC = frozenset(TABLES)
COMPONENTS = frozenset(("vue", "svelte", "astro"))
DOCUMENTS = frozenset(("markdown", "rst", "html", "text"))
CONFIGS = frozenset(("json", "yaml", "toml", "ini"))

# One line a language: its name, then extensions without the dot.
_EXTENSIONS = """
python py pyi pyw pyx
javascript js mjs cjs jsx es6
typescript ts mts cts
tsx tsx
go go
rust rs
java java
c c
cpp cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp ixx cppm
csharp cs csx
ruby rb rake gemspec ru podspec
php php phtml php5 php7
bash sh bash zsh ksh bats
markdown md markdown mdx mkd mdown
rst rst rest
html html htm xhtml
json json jsonc json5 geojson webmanifest
yaml yaml yml
toml toml
ini ini cfg conf properties editorconfig
notebook ipynb
vue vue
svelte svelte
astro astro
kotlin kt kts
swift swift
scala scala sc sbt
lua lua
luau luau
elixir ex exs
dart dart
zig zig
sql sql ddl
css css
scss scss
haskell hs
ocaml ml
clojure clj cljs cljc edn
erlang erl hrl
julia jl
r r
perl pl pm
groovy groovy gradle
objc m mm
powershell ps1 psm1 psd1
fish fish
make mk mak
cmake cmake
dockerfile dockerfile
graphql graphql gql graphqls
proto proto
thrift thrift
hcl hcl nomad
terraform tf tfvars
solidity sol
elm elm
gdscript gd
starlark bzl star
cuda cu cuh
glsl glsl vert frag comp geom
d d
pascal pas pp dpr
fortran f90 f95 f03 f08
gleam gleam
haxe hx
hack hack
prisma prisma
wgsl wgsl
vim vim
gettext po pot
csv csv tsv
xml xml xsd xsl xslt svg plist csproj vbproj fsproj props targets resx
less less
sass sass
template jinja jinja2 j2 tmpl tpl hbs mustache ejs erb haml slim liquid
latex tex sty cls
diff diff patch
log log
text txt text
"""
_BY_EXTENSION = {
    extension: line.split()[0] for line in _EXTENSIONS.strip().splitlines() for extension in line.split()[1:]
}
_BY_NAME = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "podfile": "ruby",
    "vagrantfile": "ruby",
    "brewfile": "ruby",
    "build": "starlark",
    "build.bazel": "starlark",
    "workspace": "starlark",
    "jenkinsfile": "groovy",
    "pipfile": "toml",
    "cargo.lock": "toml",
    "poetry.lock": "toml",
    "uv.lock": "toml",
    "composer.lock": "json",
    "pipfile.lock": "json",
    ".babelrc": "json",
    ".eslintrc": "json",
    ".prettierrc": "yaml",
    ".clang-format": "yaml",
    ".clang-tidy": "yaml",
    ".bashrc": "bash",
    ".bash_profile": "bash",
    ".profile": "bash",
    ".zshrc": "bash",
    ".gitconfig": "ini",
    ".gitmodules": "ini",
    "pkgbuild": "bash",
}
_INTERPRETERS = (
    (re.compile(r"^(?:python|pypy)"), "python"),
    (re.compile(r"^(?:node|nodejs|bun)\b"), "javascript"),
    (re.compile(r"^(?:deno|ts-node|tsx)\b"), "typescript"),
    (re.compile(r"^(?:ba|da|a|z|k|mk)?sh\b|^bats\b"), "bash"),
    (re.compile(r"^(?:ruby|jruby)"), "ruby"),
    (re.compile(r"^perl"), "perl"),
    (re.compile(r"^php"), "php"),
    (re.compile(r"^lua"), "lua"),
    (re.compile(r"^(?:Rscript|R)\b"), "r"),
    (re.compile(r"^fish\b"), "fish"),
    (re.compile(r"^(?:elixir|iex)\b"), "elixir"),
    (re.compile(r"^julia\b"), "julia"),
    (re.compile(r"^(?:pwsh|powershell)\b"), "powershell"),
    (re.compile(r"^make\b"), "make"),
    (re.compile(r"^groovy\b"), "groovy"),
)


def language_of(path: str, first_line: str = "") -> str:
    """Name the language of a file: by its whole name, then its extension, then its `#!` line; else "text".

    A `.h` file is "cpp", whose grammar reads C as well, unless its first line names Objective-C.
    """
    name = PurePosixPath(path).name.lower()
    return _of_name(name, first_line) or _of_first_line(first_line)


def _of_name(name: str, first_line: str) -> str:
    if known := _BY_NAME.get(name):
        return known
    stem, dot, extension = name.rpartition(".")
    if dot and extension == "h":
        return "objc" if "@interface" in first_line or "#import" in first_line else "cpp"
    if known := _BY_EXTENSION.get(extension) if dot else None:
        return known
    return _BY_NAME.get(stem, "") if stem in ("dockerfile", "containerfile", "makefile") else ""


def _of_first_line(first_line: str) -> str:
    if first_line.startswith("#!"):
        return _of_shebang(first_line)
    return "php" if first_line.startswith("<?php") else "text"


def _of_shebang(first_line: str) -> str:
    words = [word for word in first_line[2:].split() if not word.startswith("-") and "=" not in word]
    if words and PurePosixPath(words[0]).name == "env":
        words = words[1:]
    program = PurePosixPath(words[0]).name if words else ""
    return next((language for pattern, language in _INTERPRETERS if pattern.match(program)), "text")
