import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.retrieve.paths import PathIndex
from codecite.retrieve.priors import Priors
from codecite.retrieve.query import understand
from codecite.retrieve.roles import place

ROLES = """
src/app/core.py                     code
src/app/testing.py                  code
src/click/latest.py                 code
django/test/client.py               code
src/contest.go                      code
lib/manifest.rb                     code
tests/test_core.py                  test
tests/data/input.json               test
app/test_core.py                    test
app/core_test.go                    test
src/test/java/org/x/Helper.java     test
x/src/main/java/RetryTest.java      test
lib/retry.spec.ts                   test
spec/retry_spec.rb                  test
conftest.py                         test
.github/workflows/test.yml          config
pytest.ini                          config
pyproject.toml                      config
Makefile                            config
CMakeLists.txt                      config
package.json                        config
setup.py                            config
webpack.config.js                   config
.editorconfig                       config
examples/demo.py                    example
docs_src/tutorial001.py             example
benchmarks/run.py                   example
README.md                           docs
LICENSE                             docs
docs/guide/retry.rst                docs
docs/theme/page.tsx                 docs
docs/en/docs/index.md               docs
docs/zh/docs/index.md               translation
docs/pt-br/index.md                 translation
src/locales/de.ts                   translation
src/locales/en.ts                   code
locale/fr/LC_MESSAGES/x.po          translation
README.zh-CN.md                     translation
lang/python.py                      code
CHANGELOG.md                        changelog
CHANGES.rst                         changelog
src/changes.py                      code
docs/release-notes.md               changelog
logo.svg                            other
"""


@pytest.mark.parametrize(("path", "role"), [line.split() for line in ROLES.strip().splitlines()])
def test_role(path: str, role: str) -> None:
    assert place(path).role == role


@pytest.mark.parametrize(
    ("path", "flags"),
    [
        ("vendor/x/y.go", {"vendored"}),
        ("api/service_pb2.py", {"generated"}),
        ("static/app.min.js", {"generated"}),
        ("pkg/__init__.py", {"re-export"}),
        ("src/index.ts", {"re-export"}),
        (".github/workflows/ci.yml", {"hidden"}),
        ("src/core.py", set()),
    ],
)
def test_flags(path: str, flags: set[str]) -> None:
    assert place(path).flags == flags


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/http/mod.rs", "http"),
        ("pkg/json/__init__.py", "json"),
        ("src/toJsonSchema.ts", "tojsonschema"),
        ("index.js", "index"),
    ],
)
def test_entry_files_are_named_by_their_folder(path: str, name: str) -> None:
    assert place(path).stem_name == name


names = st.text(alphabet="ab._-Tv1", min_size=1, max_size=6).filter(lambda name: name.strip("."))
paths = st.lists(st.lists(names, min_size=1, max_size=4).map("/".join), max_size=12, unique=True)


@given(paths, paths)
def test_an_index_that_reuses_another_equals_a_fresh_one(before: list[str], after: list[str]) -> None:
    assert PathIndex.build(after, PathIndex.build(before)) == PathIndex.build(after)


def test_folders_with_a_newer_sibling_are_old() -> None:
    index = PathIndex.build(["src/v3/a.ts", "src/v4/a.ts", "src/v4/mini/a.ts", "other/v1/b.ts"])
    assert index.old_versions == {"src/v3/a.ts"}


def test_recall_says_where_a_word_stands_in_a_path() -> None:
    index = PathIndex.build(
        ["retry/http/client.py", "http/retry/base.py", "net/http/retry.py", "net/other.py"]
    )
    found = index.recall([(("retri",), 2.0)])
    assert found == {"net/http/retry.py": 2.0, "http/retry/base.py": 1.0, "retry/http/client.py": 0.4}


PATHS = [
    "a/core.py",
    "tests/test_core.py",
    "README.md",
    "ci.yml",
    "v1/x.py",
    "v2/x.py",
    "examples/x.py",
    ".github/ci.yml",
]


def factor(question: str, path: str) -> float:
    query = understand(question)
    return Priors(query, PathIndex.build(PATHS), frozenset(query.terms())).of(path)


def test_code_stands_first_unless_something_else_is_asked_for() -> None:
    assert factor("how is it stored", "a/core.py") == 1
    assert all(factor("how is it stored", path) < 0.6 for path in PATHS[1:5])
    assert factor("how is it tested", "tests/test_core.py") > factor("how is it stored", "tests/test_core.py")
    assert factor("which tests cover it", "tests/test_core.py") > factor("which tests cover it", "a/core.py")
    assert factor("update the readme", "README.md") == 1
    assert factor("CI runs twice", ".github/ci.yml") == 1
    assert factor("drop support for old systems", "README.md") > factor("which old systems work", "README.md")


def test_a_question_that_names_a_folder_lifts_its_prior() -> None:
    assert factor("how did v1 store it", "v1/x.py") == 1
    assert factor("an example of storage", "examples/x.py") > factor("what is storage", "examples/x.py")


def test_a_long_term_is_completed_by_what_files_are_named() -> None:
    index = PathIndex.build(["db/autodetector.py", "db/formsets.py", "db/form.py"])
    assert index.longer("autodetect") == ("autodetector",)
    assert index.longer("form") == ()
    crowd = PathIndex.build([f"db/autodetect{letter}.py" for letter in "abcdefg"])
    assert crowd.longer("autodetect") == ()
