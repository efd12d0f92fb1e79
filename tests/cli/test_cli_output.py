"""What each command prints: lines for people, and with --json the engine's result and nothing else."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codecite.cli.terminal import moment
from codecite.model.errors import BadInput, Cancelled, CodeciteError, EngineGone, StoreLocked

if TYPE_CHECKING:
    from tests.cli.conftest import Codecite

SEEN = {"sequence": 7, "commit": "0123456789abcdef0123", "searched": {"files": 3, "blocks": 9}}
CITATION = {
    "n": 1,
    "id": "src/net.py:Client.retry:0123456789ab",
    "path": "src/net.py",
    "start_line": 9,
    "end_line": 30,
    "symbol": "Client.retry",
    "kind": "method",
    "language": "python",
    "text": "def retry(self):\n    ...\n",
    "score": 1.5,
    "why": "defines `retry`",
    "state": "fresh",
    "indexed_at": 1.0,
    "commit": None,
    "excerpt_start": 9,
    "excerpt": "def retry(self):\n\t# \u202etwice\n    return self.send()\n",
    "focus": None,
}


def answer(workspace: Path, **changed: Any) -> dict[str, Any]:
    return {
        "question": "how?",
        "text": "[1] src/net.py",
        "claims": [],
        "citations": [CITATION],
        "abstained": False,
        "degraded": [],
        "generator": "evidence",
        "log_id": "1",
        "workspace": str(workspace),
        **SEEN,
        **changed,
    }


def hit(path: str = "src/net.py", symbol: str = "Client.retry") -> dict[str, Any]:
    return {**CITATION, "path": path, "symbol": symbol, "sources": {"keyword": 1}}


def test_ask_shows_where_and_why_and_the_code(codecite: "Codecite", tmp_path: Path) -> None:
    run = codecite("ask", "how", "is", "it", "retried?", results={"ask": answer(tmp_path)})
    ((method, params),) = run.engines.calls
    assert (method, params["question"], params["k"], params["no_model"]) == (
        "ask",
        "how is it retried?",
        8,
        False,
    )
    assert (run.code, run.err) == (0, "")
    assert run.out == (
        "[1] src/net.py:9-30  Client.retry  (defines `retry`)\n"
        "     9 | def retry(self):\n"
        "    10 |     # \\u202etwice\n"
        "    11 |     return self.send()\n"
    )
    assert run.engines.closed == run.engines.opened == 1


def test_ask_says_what_it_could_not_see_and_what_moved_on(codecite: "Codecite", tmp_path: Path) -> None:
    stale = answer(
        tmp_path, citations=[{**CITATION, "state": "changed"}], degraded=["no vectors", "half\x1bread"]
    )
    run = codecite("ask", "how?", results={"ask": stale})
    lines = run.out.splitlines()
    assert lines[0].endswith("(defines `retry`)  changed since indexed")
    assert lines[-1] == "no vectors; half\\x1bread"


def test_ask_without_evidence_is_a_no(codecite: "Codecite", tmp_path: Path) -> None:
    nothing = answer(tmp_path, abstained=True, citations=[], text="No evidence found; searched 3 files.")
    run = codecite("ask", "how?", results={"ask": nothing})
    assert (run.code, run.out) == (1, "No evidence found; searched 3 files.\n")


def test_ask_shows_a_models_words_before_the_evidence(codecite: "Codecite", tmp_path: Path) -> None:
    written = answer(tmp_path, generator="some-model", text="It retries twice [1].")
    lines = codecite("ask", "how?", results={"ask": written}).out.splitlines()
    assert lines[:3] == ["It retries twice [1].", "", "[1] src/net.py:9-30  Client.retry  (defines `retry`)"]


def test_a_terminal_gets_colour_and_links_and_a_pipe_gets_neither(
    codecite: "Codecite", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM_PROGRAM", "WezTerm")
    strange = answer(tmp_path, citations=[{**CITATION, "path": "a b#%.py"}])
    shown = codecite("ask", "how?", results={"ask": strange}, tty=True).out
    assert f"\x1b]8;;{tmp_path.as_uri()}/a%20b%23%25.py\x1b\\" in shown
    assert "\x1b[1;32m[1]\x1b[0m" in shown
    assert "\x1b" not in codecite("ask", "how?", results={"ask": strange}).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in codecite("ask", "how?", results={"ask": strange}, tty=True).out


def test_long_lines_are_cut_to_the_terminal(
    codecite: "Codecite", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    long = answer(tmp_path, citations=[{**CITATION, "excerpt": "x" * 5_000}])
    code = codecite("ask", "how?", results={"ask": long}, tty=True).out.splitlines()[1]
    assert (len(code), code[-1]) == (100, "…")


def test_search_is_a_line_a_hit(codecite: "Codecite", tmp_path: Path) -> None:
    found = {
        "query": "q",
        "hits": [hit(), hit("a\nb.md", "")],
        "degraded": [],
        "workspace": str(tmp_path),
        **SEEN,
    }
    run = codecite("search", "retry", "-k", "2", "--path-prefix", "src/", results={"search": found})
    assert run.engines.calls == [("search", {"query": "retry", "k": 2, "path_prefix": "src/"})]
    assert run.out.splitlines() == [
        "1  src/net.py:9-30  Client.retry  (defines `retry`)",
        "2  a\\x0ab.md:9-30  (defines `retry`)",
    ]
    nothing = {**found, "hits": []}
    run = codecite("search", "retry", results={"search": nothing})
    assert (run.code, run.out) == (1, "Nothing matched; searched 9 blocks of 3 files.\n")


REPORT = {
    "files": {
        "indexed": 2,
        "skipped": [{"path": "a", "reason": "binary"}, {"path": "b", "reason": "binary"}],
    },
    "blocks": {"total": 1_234, "added": 4, "changed": 0, "moved": 1, "removed": 0, "embedded": 1},
    "seconds": 1.26,
}


def test_index_says_what_it_did(codecite: "Codecite") -> None:
    run = codecite("index", "--wait", results={"index": REPORT})
    assert run.engines.calls == [("index", {"full": False, "wait": True, "since": None})]
    assert run.out.splitlines() == [
        "2 files, 1,234 blocks (4 added, 1 moved; 1 vector made) in 1.3 s",
        "skipped: 2 binary  (each with its reason: --json)",
    ]
    run = codecite("index", "--full", "--since", "HEAD~2", results={"index": REPORT})
    assert run.engines.calls == [("index", {"full": True, "wait": False, "since": "HEAD~2"})]
    assert run.out.startswith("Queued.")


def test_blocks_are_a_table(codecite: "Codecite", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {
        "path": "src/a.py",
        "start_line": 1,
        "end_line": 9,
        "symbol": "",
        "kind": "imports",
        "embed_key": "k",
    }
    rows = [
        {**row, "embedded_by": "m"},
        {**row, "start_line": 10, "end_line": 120, "symbol": "f", "kind": "function", "embedded_by": None},
    ]
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").touch()
    monkeypatch.chdir(tmp_path / "src")
    run = codecite("blocks", "a.py", "--workspace", str(tmp_path), results={"blocks": {"blocks": rows}})
    assert run.engines.calls == [("blocks", {"path": "src/a.py"})]
    assert run.out.splitlines() == [
        "src/a.py",
        "     1-9  imports   -",
        "  10-120  function  f  no vector yet",
    ]


STATUS: dict[str, Any] = {
    "state": "indexing",
    "workspace": "/w",
    "store": "/s",
    "commit": "0123456789abcdef",
    "repository": {"branch": "main", "operation": "", "unmerged": []},
    "files": {"indexed": 5_000, "refused": 1},
    "blocks": {"total": 9, "definitions": 1, "retained": 0},
    "unconfirmed": [],
    "vectors": {"embedder": "hashed", "pending": 2, "outbox": 1},
    "queue": {
        "running": ["engine started", "git moved"],
        "running_seconds": 12.3,
        "pending": None,
        "pending_seconds": 0.0,
        "due_seconds": 0.0,
        "files_left": 3,
        "files_total": 8,
    },
    "failing": None,
    "last_success": None,
    "degraded": ["half done"],
    "problems": [],
    "engine": {"pid": 4, "version": "1"},
}
IDLE = {**STATUS["queue"], "running": None, "files_total": 0}
TROUBLE = {
    **STATUS,
    "state": "failed",
    "repository": {"branch": "", "operation": "rebase", "unmerged": [f"{name}\x1b.py" for name in "abcdef"]},
    "blocks": {"total": 9, "definitions": 1, "retained": 2},
    "unconfirmed": [{"path": "a.py", "symbol": "f"}, {"path": "a.py", "symbol": "g"}],
    "vectors": {"embedder": "hashed", "pending": 0, "outbox": 0},
    "queue": {**IDLE, "pending": ["files changed"], "pending_seconds": 3.0, "due_seconds": 39.6},
    "failing": {"error": "no space left", "since": 86_400.0, "failures": 4},
    "last_success": 3_600.0,
    "degraded": [],
    "problems": ["nobody listens"],
}
SAID: list[tuple[dict[str, Any], list[str]]] = [
    (
        STATUS,
        [
            "indexing",
            "  workspace  /w",
            "  store      /s",
            "  files      5,000 indexed, 1 refused",
            "  blocks     9; definitions: 1",
            "  vectors    hashed, 3 waiting",
            "  updated    never at commit 0123456789ab",
            "  running    for 12 s: engine started, git moved; 3 of 8 files left",
            "  engine     process 4, version 1",
            "  degraded   half done",
        ],
    ),
    (
        TROUBLE,
        [
            "failed",
            "  workspace  /w",
            "  store      /s",
            "  files      5,000 indexed, 1 refused",
            "  blocks     9; definitions: 1",
            "  vectors    hashed, all made",
            f"  updated    {moment(3_600.0)} at commit 0123456789ab",
            "  git        in the middle of a rebase",
            "  conflicts  " + ", ".join(f"{name}\\x1b.py" for name in "abcde") + ", …",
            f"  failing    since {moment(86_400.0)}, 4 times in a row: no space left; tried again in 40 s",
            "  withheld   gone from files that do not parse, until these do: a.py:f, a.py:g",
            "  engine     process 4, version 1",
            "  problems   nobody listens",
        ],
    ),
    (
        {
            **STATUS,
            "state": "degraded",
            "repository": {"branch": "", "operation": "", "unmerged": []},
            "queue": {**IDLE, "pending": ["files changed"], "pending_seconds": 2.0, "due_seconds": 0.1},
            "degraded": [],
        },
        [
            "degraded",
            "  workspace  /w",
            "  store      /s",
            "  files      5,000 indexed, 1 refused",
            "  blocks     9; definitions: 1",
            "  vectors    hashed, 3 waiting",
            "  updated    never at commit 0123456789ab",
            "  git        on no branch (detached HEAD)",
            "  waiting    for 2 s: files changed",
            "  engine     process 4, version 1",
        ],
    ),
]


@pytest.mark.parametrize(("report", "lines"), SAID, ids=["busy", "in trouble", "about to look"])
def test_status_is_readable(codecite: "Codecite", report: dict[str, Any], lines: list[str]) -> None:
    run = codecite("status", results={"status": report})
    assert run.code == 0
    assert run.out.splitlines() == lines


def test_status_is_readable_in_chinese(codecite: "Codecite", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    lines = codecite("status", results={"status": TROUBLE}).out.splitlines()
    assert "  合并冲突   a\\x1b.py, b\\x1b.py, c\\x1b.py, d\\x1b.py, e\\x1b.py, …" in lines
    assert lines[-1] == "  问题       nobody listens"


def test_doctor_names_the_mend_and_fails(codecite: "Codecite") -> None:
    checks = [
        {"name": "ledger", "ok": True, "detail": "sound", "mend": ""},
        {"name": "vectors", "ok": False, "detail": "2 missing", "mend": "run `codecite doctor --repair`"},
    ]
    run = codecite("doctor", "--repair", results={"doctor": {"checks": checks}})
    assert run.engines.calls == [("doctor", {"repair": True})]
    assert run.code == 1
    assert run.out.splitlines() == [
        "ok    ledger   sound",
        "FAIL  vectors  2 missing",
        "               mend: run `codecite doctor --repair`",
    ]
    assert codecite("doctor", results={"doctor": {"checks": checks[:1]}}).code == 0


def test_stop_says_whether_there_was_an_engine(codecite: "Codecite", tmp_path: Path) -> None:
    assert codecite("stop").out == "No engine was running here.\n"
    run = codecite("stop", "--json")
    assert json.loads(run.out) == {"workspace": str(tmp_path), "stopped": False}
    assert run.engines.opened == 0


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "cases.jsonl"
    rows = [
        {"id": "1", "query": "one", "category": "配置", "relevant": [{"path": "a.py"}]},
        {"id": "2", "query": "two", "relevant": [{"path": "b.py"}]},
        {"id": "3", "query": "three", "relevant": []},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def ranked(*paths: str) -> list[dict[str, Any]]:
    return [{"path": path, "start_line": 1, "end_line": 2} for path in paths]


RUNS = {"runs": [{"id": "1", "ranked": ranked("a.py")}, {"id": "2", "ranked": ranked("a.py", "b.py")}]}


def test_eval_prints_a_table_and_writes_runs(codecite: "Codecite", cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs.jsonl"
    run = codecite("eval", str(cases), "--runs", str(out), results={"index": REPORT, "eval": RUNS})
    (updated, _), (method, params) = run.engines.calls
    assert (updated, method) == ("index", "eval")
    assert params["cases"] == [
        {"id": str(n), "query": word} for n, word in enumerate(("one", "two", "three"), 1)
    ]
    assert [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] == RUNS["runs"]
    assert run.out.splitlines() == [
        "         cases  HitRate@1  HitRate@3  HitRate@5   Recall@5        MRR    NDCG@10",
        "overall      2      0.500      1.000      1.000      1.000      0.750      0.815",
        "配置         1      1.000      1.000      1.000      1.000      1.000      1.000",
        "1 case without targets: in no figure",
    ]


def test_eval_compares_and_holds_a_minimum(codecite: "Codecite", cases: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_text(json.dumps({"id": "2", "ranked": ranked("b.py")}) + "\n", encoding="utf-8")
    run = codecite("eval", str(cases), "--compare", str(earlier), results={"index": REPORT, "eval": RUNS})
    assert [line.split()[:4] for line in run.out.splitlines()[3:5]] == [
        ["compared:", "before", "1", "1.000"],
        ["compared:", "after", "1", "0.000"],
    ]
    assert run.out.splitlines()[5:7] == ["better (0): none", "worse (1): 2"]
    run = codecite(
        "eval",
        str(cases),
        "--min",
        "mrr=0.75",
        "--min",
        "HitRate@1=0.6",
        "--json",
        results={"index": REPORT, "eval": RUNS},
    )
    assert (run.code, run.err) == (1, "codecite: HitRate@1 is 0.500, below the minimum 0.600\n")
    assert json.loads(run.out)["overall"] == {
        "cases": 2,
        "metrics": json.loads(run.out)["overall"]["metrics"],
    }
    assert (
        codecite("eval", str(cases), "--min", "mrr=0.75", results={"index": REPORT, "eval": RUNS}).code == 0
    )


def test_a_bad_case_is_said_before_the_engine_is_troubled(codecite: "Codecite", cases: Path) -> None:
    cases.write_text('{"id": "1"}\n', encoding="utf-8")
    run = codecite("eval", str(cases), results={})
    assert (run.code, run.out, run.engines.opened) == (2, "", 0)
    assert run.err.count("\n") == 1
    assert "cases.jsonl:1: `query`" in run.err


@pytest.mark.parametrize(
    "arguments", [["--json", "ask", "q"], ["ask", "q", "--json"], ["ask", "--json", "q"]]
)
def test_json_is_the_engines_result_unchanged(
    codecite: "Codecite", tmp_path: Path, arguments: list[str]
) -> None:
    result = answer(tmp_path, text="配置 \u202e caf\udce9", unforeseen={"x": [1.5, None]})
    run = codecite(*arguments, results={"ask": result})
    assert json.loads(run.out) == result
    assert run.err == ""


ERRORS = [
    (BadInput("no such commit", "name one"), 2, "codecite: no such commit; name one\n"),
    (EngineGone("it ended", "try again"), 3, "codecite: it ended; try again\n"),
    (StoreLocked("store\x1b[2J is taken"), 3, "codecite: store\\x1b[2J is taken\n"),
    (Cancelled("the engine is leaving"), 1, "codecite: the engine is leaving\n"),
]


@pytest.mark.parametrize(("error", "code", "line"), ERRORS, ids=[type(row[0]).__name__ for row in ERRORS])
def test_errors_are_one_line_and_an_exit_code(
    codecite: "Codecite", error: CodeciteError, code: int, line: str
) -> None:
    run = codecite("status", results={"status": error})
    assert (run.code, run.out, run.err) == (code, "", line)
    assert run.engines.closed == 1
    run = codecite("status", "--json", results={"status": error})
    expected = {"error": {"code": error.code, "message": error.message, "mend": error.mend}}
    assert (run.code, json.loads(run.out), run.err) == (code, expected, line)
