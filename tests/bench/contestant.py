"""What the speed benchmark asks of an indexer, ours or a peer."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.measuring import Job, Usage


@dataclass(frozen=True, slots=True)
class Run:
    """One measured run: on what, where it kept its things, what it cost."""

    tree: Path
    scratch: Path
    usage: Usage


class Contestant(ABC):
    """An indexer to measure. `note` says what a reader must know to compare its figures."""

    name: str
    note: str

    @abstractmethod
    def job(self, tree: Path, scratch: Path) -> AbstractContextManager[Job]:
        """Give the command that indexes a tree from nothing; `scratch` is an empty folder for what it keeps.

        Leaving the context ends whatever still runs. What is done around the job is not measured. Raises RunError.
        """

    @abstractmethod
    def after(self, run: Run) -> str:
        """Look at what a run left, before its context is left; return what was indexed, in words. Raises RunError."""
