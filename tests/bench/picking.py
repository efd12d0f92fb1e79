"""What to ask a tree: symbols and questions taken from its text with plain patterns, independently of any indexer.

The same tree and seed give the same picks.
"""

import os
import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

CODE = re.compile(r"\.(c|cc|cpp|cs|go|h|hpp|java|js|jsx|kt|php|py|rb|rs|swift|ts|tsx)$")
ASIDE = re.compile(  # tests, documents and other people's code
    r"(^|/)(tests?|spec|docs?|docs_src|examples?|benchmarks?|vendor|node_modules|dist|build)/"
    r"|(^|/)tests?_[^/]*$|[._](test|tests|spec)\.[a-z]+$|Test\.[a-z]+$"
)
LARGEST = 1_048_576  # bytes

_DEFINITION = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|sealed|pub(?:\([a-z]+\))?)[ \t]+)*"
    r"(?:class|def|fn|func|function|interface|struct|trait|enum|type)[ \t]+"
    r"(?:\([^)\n]*\)[ \t]*)?([A-Za-z_]\w{6,60})(?=[ \t]*(?:[({<:;=\[]|struct\b|interface\b|extends\b|implements\b|$))",
    re.MULTILINE,
)
_SENTENCE = re.compile(
    r'^[ \t]*(?:#+|//+!?|\*|"""|\'\'\')[ \t]*([A-Z][a-z]+(?:[ \t]+[\w\'-]+){4,14})[.,:]', re.MULTILINE
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PHRASES = ("where is {} done", "how does {} work", "what handles {}", "which code is responsible for {}")


def files_of(tree: Path) -> list[str]:
    """Return the tree's files as POSIX paths, sorted: those that git lists where it is a repository, else all.

    In a repository: tracked, and untracked that nothing ignores. Elsewhere folders that begin with a dot are left out.
    """
    if (tree / ".git").exists():
        listed = subprocess.run(
            ["git", "-C", str(tree), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            check=True,
        ).stdout
        names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
        return sorted(name for name in names if os.path.lexists(tree / name))
    return sorted(_walk(tree))


def _walk(tree: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            yield (Path(folder) / name).relative_to(tree).as_posix()


T = TypeVar("T")


class Picker:
    """Picks from one tree; reads its code once."""

    def __init__(self, tree: Path, seed: int) -> None:
        self._seed = seed
        where: defaultdict[str, set[str]] = defaultdict(set)
        sentences: set[str] = set()
        for path in files_of(tree):
            file = tree / path
            if not CODE.search(path) or not file.is_file() or file.stat().st_size > LARGEST:
                continue
            text = file.read_text("utf-8", "replace")
            for name in _DEFINITION.findall(text):
                where[name].add(path)
            if not ASIDE.search(path):
                sentences.update(_SENTENCE.findall(text))
        self._symbols = sorted(
            (name, next(iter(paths)))
            for name, paths in where.items()
            if len(paths) == 1 and len(_PART.findall(name)) > 1 and not ASIDE.search(next(iter(paths)))
        )
        self._sentences = sorted(sentences)

    def symbols(self, count: int) -> list[tuple[str, str]]:
        """Return (name, path) of classes and functions that exactly one file of the tree defines."""
        return _sample(random.Random(self._seed), self._symbols, count)

    def questions(self, count: int) -> list[str]:
        """Return a mix of three kinds in equal parts: bare symbols, questions around their words, comment sentences."""
        picks = random.Random(self._seed + 1)
        part = -(-count // 3)
        names = [name for name, _ in _sample(picks, self._symbols, 2 * part)]
        words = [" ".join(_PART.findall(name)).lower() for name in names[1::2]]
        asked = [_PHRASES[number % len(_PHRASES)].format(text) for number, text in enumerate(words)]
        mixed = [*names[0::2], *asked, *_sample(picks, self._sentences, part)]
        picks.shuffle(mixed)
        return mixed[:count]


def _sample(picks: random.Random, population: list[T], count: int) -> list[T]:
    return picks.sample(population, min(count, len(population)))
