"""Sentences for people, in the languages in which they are answered."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

Script: TypeAlias = Literal["en", "zh"]  # what a question is written in, and so what it is answered in


class Texts:
    """A table of sentences by name, each in every language."""

    def __init__(self, table: Mapping[str, Mapping[Script, str]]) -> None:
        self._table = table

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def say(self, script: Script, name: str, /, **values: object) -> str:
        """Return a sentence with its values filled in. Raises KeyError for a name that is not in the table."""
        return self._table[name][script].format(**values)
