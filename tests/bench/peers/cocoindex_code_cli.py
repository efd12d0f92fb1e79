"""cocoindex-code, as its own command line runs it: `ccc index` on a tree that it has never seen.

Install it in an environment of its own with `pip install cocoindex-code`, made from a Python whose sqlite3 can load
extensions (`sqlite3.Connection.enable_load_extension`), which it needs for its vectors.

Its models come from a model host or an API. With no network a stand-in for the `sentence_transformers` package gives
vectors at once, of 384 numbers as its default model does. So everything is measured but the model, which flatters it:
importing the real package and running the real model cost many times what is measured here. Since it keeps settings and
tables inside the tree, the tree is copied first.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.contestant import Contestant, Run
from tests.bench.measuring import Job

_SETTINGS = """\
embedding:
  provider: sentence-transformers
  model: Snowflake/snowflake-arctic-embed-xs
"""

_STAND_IN = """\
import zlib

import numpy


class SentenceTransformer:
    def __init__(self, *names, **options):
        self.table = numpy.random.default_rng(1).standard_normal((1024, 384)).astype(numpy.float32)
        self.table /= numpy.linalg.norm(self.table, axis=1, keepdims=True)

    def get_sentence_embedding_dimension(self):
        return self.table.shape[1]

    def encode(self, texts, **options):
        if isinstance(texts, str):
            return self.table[zlib.crc32(texts.encode()) % 1024]
        return self.table[[zlib.crc32(text.encode()) % 1024 for text in texts]]
"""

# On a busy machine its client gives its daemon up too soon; the daemon starts all the same, and the next try finds it.
_PATIENTLY = """\
import subprocess, sys
for _ in range(4):
    done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
    if "did not start in time" not in done.stdout + done.stderr:
        break
print(done.stdout, done.stderr)
sys.exit(done.returncode)
"""


class CocoindexCode(Contestant):
    """The `ccc` executable."""

    name = "cocoindex-code"
    note = "without a model: fixed vectors at no cost"

    def __init__(self, program: str) -> None:
        self._program = program

    @contextmanager
    def job(self, tree: Path, scratch: Path) -> Iterator[Job]:
        """Give the command that indexes a copy of a tree from nothing; its daemon is stopped afterwards."""
        copy = scratch / "tree"
        shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".cocoindex_code"))
        (scratch / "sentence_transformers.py").write_text(_STAND_IN, encoding="utf-8")
        home = Path(tempfile.mkdtemp(prefix="ccc-"))  # short: its socket lies in it
        (home / "global_settings.yml").write_text(_SETTINGS, encoding="utf-8")
        env = {
            "COCOINDEX_CODE_DIR": str(home),
            "COCOINDEX_DISABLE_USAGE_TRACKING": "1",
            "PYTHONPATH": str(scratch),
        }
        try:
            self._run("init", "-f", cwd=copy, env=env)
            yield Job([sys.executable, "-c", _PATIENTLY, self._program, "index"], copy, env)
        finally:
            self._run("daemon", "stop", cwd=copy, env=env)
            shutil.rmtree(home, ignore_errors=True)

    def after(self, run: Run) -> str:
        """Read the counts that it prints."""
        counts = dict(re.findall(r"^ *(Chunks|Files): +(\d+)", run.usage.stdout, re.MULTILINE))
        return f"{int(counts['Files']):,} files, {int(counts['Chunks']):,} blocks"

    def _run(self, *arguments: str, cwd: Path, env: dict[str, str]) -> None:
        subprocess.run(
            [self._program, *arguments], cwd=cwd, env={**os.environ, **env}, capture_output=True, check=False
        )
