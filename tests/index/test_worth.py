"""Which blocks get a vector, told by path and text."""

from hashlib import sha256

import pytest

from codecite.index.worth import file_is_worth, has_words, leaf_is_worth
from codecite.model.blocks import Kind, Leaf

WORTH = [
    "src/app.py",
    "web/locale_picker.ts",
    "src/i18n/index.ts",
    "lib/de/parser.py",
    "README.md",
    "readme.txt",
    "docs/index.md",
    "docs/en/guide.md",
    "docs/en-US/guide.md",
    "docs/guide/install.md",
    "docs/api/go/client.md",
    "examples/it/works.py",
    "locales/en.json",
    "config/de.json",
    "package.json",
    "pyproject.toml",
    "src/main/resources/messages.properties",
    "docs/make-it.md",
    "translations/README.md",
    "go.mod",
    "schema.sql",
    "docs/rest/get.rst",
    "doc/tutorial/is/it.py",
]
NOT_WORTH = [
    "locale/de/LC_MESSAGES/django.po",
    "po/app.pot",
    "data/towns.csv",
    "data/towns.TSV",
    "icons/logo.svg",
    "Cargo.lock",
    "yarn.lock",
    "package-lock.json",
    "pnpm-lock.yaml",
    "go.sum",
    "map.geojson",
    "docs/de/guide.md",
    "docs/pt-br/docs/index.md",
    "docs/zh_Hant/index.rst",
    "website/docs/i18n/ja/current/intro.mdx",
    "README.zh-CN.md",
    "README_cn.md",
    "readme-fr.md",
    "locales/de.json",
    "src/locales/pt-BR/common.json",
    "app/i18n/messages_fr.properties",
    "config/locales/uk.yml",
    "resources/lang/es/auth.php",
    "l10n/app_hi.arb",
]


@pytest.mark.parametrize("path", WORTH)
def test_written_for_its_readers(path: str) -> None:
    assert file_is_worth(path)


@pytest.mark.parametrize("path", NOT_WORTH)
def test_data_and_translations_are_found_by_words_alone(path: str) -> None:
    assert not file_is_worth(path)


TEXTS = [
    ("for row in table:\n    total += row.price * row.count\n", True),
    ("打开文件并读取配置\n然后关闭\n", True),
    ("int a[] = { 1, 2, 3 };  // the first three\n", True),
    ("\n".join(", ".join(str(n * 7919 % 1000) for n in range(12)) for _ in range(40)), False),
    ("0x1f, 0x8b, 0x08, 0x00,\n" * 50, False),
    ("M10.5 20.25 L30 40.125 Z\n" * 50, False),
    ("a=b;" * 2_000, False),  # one line of 8,000 characters
    ("x = [1, 2, 3, 4, 5, 6]\n", True),  # too little to be a table
    ("", True),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_words_or_numbers(text: str, expected: bool) -> None:
    assert has_words(text) is expected


@pytest.mark.parametrize(
    ("kind", "embed_text", "expected"),
    [("function", "f", True), ("function", "", False), ("code", "f", False), ("config", "f", False)],
)
def test_a_named_thing_is_embedded_even_if_it_is_full_of_numbers(
    kind: Kind, embed_text: str, expected: bool
) -> None:
    text = "def f(): return [\n" + "1, 2, 3,\n" * 50 + "]\n"
    digest = sha256(text.encode()).hexdigest()
    assert (
        leaf_is_worth(Leaf(1, 52, "f", "f", kind, "python", text, digest, digest, embed_text, "", ""))
        is expected
    )
