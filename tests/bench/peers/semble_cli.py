"""semble, as its own command line runs it: `semble search` on a tree that it has no cache of.

Install it in an environment of its own with `pip install semble` and, for a model without a download,
`pip install --no-deps wordllama` into the same. semble's own default model is fetched from a model host when it is
first used; here it gets the static vectors that the `wordllama` package carries (32,000 tokens, 256 dimensions: the
same kind of model, a table of token vectors that are averaged), so that the cost is comparable with no network. Name
another local model2vec folder in SEMBLE_MODEL_NAME to measure that one.

It indexes code alone by default; `content="all"` makes it read documents and configuration too, as codecite does.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from tests.bench.contestant import Contestant, Run
from tests.bench.measuring import Job, RunError

QUESTION = "where is the configuration read"


class Semble(Contestant):
    """One way to run semble: `program` is its executable, `content` what it is to index."""

    def __init__(self, program: str, content: str = "code") -> None:
        self.name = "semble" if content == "code" else f"semble --content {content}"
        named = os.environ.get("SEMBLE_MODEL_NAME")
        self.note = (
            f"model {named}" if named else "static vectors of the wordllama package in place of its model"
        )
        self._program = program
        self._content = content
        self._model = named

    @contextmanager
    def job(self, tree: Path, scratch: Path) -> Iterator[Job]:
        """Give the command that indexes a tree from nothing and answers one question."""
        model = self._model or str(_static_model(self._program, scratch / "model"))
        cache = scratch / "cache"
        cache.mkdir()
        yield Job(
            [
                self._program,
                "search",
                QUESTION,
                str(tree),
                "--content",
                self._content,
                "--max-snippet-lines",
                "0",
            ],
            scratch,
            {"SEMBLE_CACHE_LOCATION": str(cache), "SEMBLE_MODEL_NAME": model, "HF_HUB_OFFLINE": "1"},
        )

    def after(self, run: Run) -> str:
        """Count what its cache holds."""
        (metadata,) = run.scratch.glob("cache/*/index*/metadata.json")
        files = json.loads(metadata.read_text(encoding="utf-8"))["files"].values()
        return f"{len(files):,} files, {sum(file['count'] for file in files):,} blocks"


def _static_model(program: str, folder: Path) -> Path:
    """Lay the wordllama package's vectors and tokenizer out as a model2vec folder."""
    python = Path(program).with_name("python")
    find = "import importlib.util as u; s = u.find_spec('wordllama'); print(s.submodule_search_locations[0] if s else '')"
    done = subprocess.run([str(python), "-c", find], capture_output=True, text=True, check=False)
    package = done.stdout.strip()
    if not package:
        raise RunError("no model without a download: the package wordllama is not installed beside semble")
    weights = (Path(package) / "weights" / "l2_supercat_256.safetensors").read_bytes()
    tokenizer = Path(package) / "tokenizers" / "l2_supercat_tokenizer_config.json"
    # safetensors: the length of a JSON header, the header, the numbers.
    length = int.from_bytes(weights[:8], "little")
    header = json.loads(weights[8 : 8 + length])
    (entry,) = [value for name, value in header.items() if name != "__metadata__"]
    kinds = {"F16": np.float16, "F32": np.float32}
    numbers = np.frombuffer(weights[8 + length :], kinds[entry["dtype"]]).astype(np.float32)
    described = {"dtype": "F32", "shape": entry["shape"], "data_offsets": [0, numbers.nbytes]}
    new_header = json.dumps({"embeddings": described}).encode()
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_bytes(
        len(new_header).to_bytes(8, "little") + new_header + numbers.tobytes()
    )
    (folder / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    (folder / "config.json").write_text(json.dumps({"normalize": True}), encoding="utf-8")
    return folder
