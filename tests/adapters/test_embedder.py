"""The hashed embedder: the same vector everywhere, unit length, near where words are shared."""

import os
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecite.adapters import hashed_embedder
from codecite.adapters.hashed_embedder import HashedEmbedder

TEXTS = [
    "def close_period(ledger, month):\n    return ledger.close(month)",
    "Wait until the socket is readable, then parse the HTTP request",
    "func (s *Server) ListenAndServe() error { return s.serve() }",
    "打开文件并读取配置",
    "naïve café ½ ²",
    "",
    "-- ;; {}",
]
# Of the vectors of TEXTS as they are meant to be, rounded. Another value is another VERSION.
FINGERPRINT = "11ff3ed4129607aa"


def fingerprint() -> str:
    return sha256(
        np.round(HashedEmbedder().embed_documents(TEXTS) * 100).astype(np.int8).tobytes()
    ).hexdigest()[:16]


def test_vectors_are_what_their_version_says() -> None:
    assert (fingerprint(), HashedEmbedder().digest) == (FINGERPRINT, "hashed-1-256")


def test_another_process_with_another_hash_seed_gives_the_same() -> None:
    code = f"import numpy as np; from codecite.adapters.hashed_embedder import HashedEmbedder\nprint(HashedEmbedder().embed_documents({TEXTS!r}).tobytes().hex())"
    env = {
        **os.environ,
        "PYTHONHASHSEED": "4711",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert bytes.fromhex(done.stdout) == HashedEmbedder().embed_documents(TEXTS).tobytes()


@pytest.mark.parametrize("dimension", [64, 256, 384])
def test_rows_have_unit_length_or_are_zero(dimension: int) -> None:
    vectors = HashedEmbedder(dimension).embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), dimension)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.allclose(lengths, [1, 1, 1, 1, 1, 0, 0], atol=1e-5)


def test_no_texts_give_no_rows() -> None:
    assert HashedEmbedder().embed_documents([]).shape == (0, 256)


@given(st.lists(st.text(max_size=60) | st.sampled_from(TEXTS), max_size=5))
def test_a_text_has_its_vector_whatever_stands_beside_it(texts: list[str]) -> None:
    embedder = HashedEmbedder()
    together = embedder.embed_documents(texts)
    assert np.isfinite(together).all()
    for row, text in zip(together, texts, strict=True):
        assert np.array_equal(row, embedder.embed_query(text)[0])


def test_a_full_cache_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = HashedEmbedder().embed_documents(TEXTS)
    monkeypatch.setattr(hashed_embedder, "CACHE_LIMIT", 2)
    embedder = HashedEmbedder()
    for _ in range(2):
        assert np.array_equal(embedder.embed_documents(TEXTS), expected)


NEARER = [
    # (question, what is meant, what is not)
    ("closing a period of the ledger", TEXTS[0], TEXTS[2]),
    ("parse_http_request", TEXTS[1], TEXTS[0]),
    ("how does the server listen and serve", TEXTS[2], TEXTS[1]),
    ("读取文件", TEXTS[3], TEXTS[4]),
    # common words carry little: the rare one decides
    (
        "return self if not None def invoice",
        "class Invoice: pass",
        "def other(self): return None if not self else self",
    ),
]


@pytest.mark.parametrize(("question", "meant", "other"), NEARER)
def test_shared_words_are_near(question: str, meant: str, other: str) -> None:
    embedder = HashedEmbedder()
    near, far = embedder.embed_documents([meant, other]) @ embedder.embed_query(question)[0]
    assert near > far
