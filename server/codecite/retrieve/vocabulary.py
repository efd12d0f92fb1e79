"""Words of questions that are read for what they ask, and those that say nothing about what is looked for."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Function words, and the scaffolding of a question about code ("where is … defined", "show me how … works").
STOP = _words(
    """
    a about above after again all also am an and any anyone anything are as at be because been before being below
    between both but by can cannot could did do does doing done don down during each either else etc ever every
    everything few for from further had has have having he her here hers him his how i if in instead into is it its
    itself just like ll made make makes many may me might mine more most much must my neither no nor not now of off on
    once one only onto or other others our ours out over own per please rather re s same shall she should so some
    somehow something somewhere such t tell than that the their theirs them then there these they thing things this
    those through to too toward under until up upon us ve very via was way ways we were what when where whether which
    while who whom whose why will with within without would you your yours
    actually code codebase defined explain exactly find happen happens implemented lives located look please repo
    repository responsible show supposed thing used uses using want work works
    """
)

# Function words that are part of identifiers, so that with their neighbour they may be one: `from_json`, `is_empty`.
IN_NAMES = _words(
    "all and as at before after by can do down each for from has if in into is no not of off on once only or out over "
    "own per same then to under until up with without"
)

# Verbs that open a commit subject or a change request. They say what to do, not where.
CHANGE_VERBS = _words(
    """
    add added adds allow allows adjust avoid bump bumps bumped change changed changes clarify clean cleanup convert
    correct deprecate disable disallow document drop dropped drops enable enhance ensure extend fix fixed fixes handle
    implement improve improves improved improvement include increase introduce make migrate modernize move optimize
    patch pin prefer prevent reduce refactor refresh regenerate reject remove removed removes rename renamed reorganize
    replace replaced restore restrict revert rewrite simplify skip slightly speed stop support suppress switch tweak
    unify unpin update updated updates upgrade use
    """
)

# "which tests …", "is it tested": only tests answer, where "the test runner" may be code like any other.
ONLY_TESTS = _words("tests tested unittests specs")

# Words that ask for a kind of file rather than for code, by the role they ask for (see roles.Role).
ASKS: dict[str, frozenset[str]] = {
    "test": _words(
        "test tests tested testing testsuite unittest unittests spec specs fixture fixtures e2e 测试"
    ),
    "docs": _words(
        """
        doc docs documentation documented document documents readme guide guides tutorial tutorials faq faqs typo typos
        book manual wiki rst markdown contributing license licence 文档 教程 说明
        """
    ),
    "config": _words(
        """
        ci cd workflow workflows gha github actions pipeline docker dockerfile makefile cmake tsconfig pyproject tox
        eslint prettier ruff mypy flake8 isort linter lint pom gradle maven gemfile gemspec rakefile bundler cargo
        dependabot renovate codecov npm pnpm yarn composer lockfile changesets editorconfig gitignore precommit
        """
    ),
    "example": _words("example examples sample samples demo demos benchmark benchmarks 示例 例子"),
    "changelog": _words("changelog changelogs changes release history news 更新日志"),
    "translation": _words(
        """
        translation translations translate translated translating locale locales localization localisation i18n l10n
        language languages 翻译 国际化 本地化 语言
        """
    ),
}
