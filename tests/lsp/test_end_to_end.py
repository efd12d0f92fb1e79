"""A real language client over stdio and the real engine: the place of a citation, cut out, is what was cited."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "codecite.lsp.server"])
BYTES_A_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}

FILES = {
    "rocket.js": (
        "// a rocket\r\n"
        "/* \U0001f680 名前 */ export function launchRocket(destination) {\r\n"
        '  return "\U0001f468\u200d\U0001f469\u200d\U0001f467 " + destination; // \U0001f1e8\U0001f1ed\r\n'
        "}\r\n"
    ),
    "lib/orbit.ts": (
        'const label = "\u05e9\u05dc\u05d5\u05dd", parseOrbit = (ellipse: string): number => ellipse.length;\n'
        "\f\n"
        "/* 軌道 \U0001d465 */ class OrbitTable { /* \u2028 */ lookUp(name: string) { return parseOrbit(name); } }\n"
    ),
    "two words #1.py": (
        '"""Splits caf\u00e9 names."""\n\n\ndef split_caf\u00e9_names(text):\n    \U0001d465 = text  # 名\n    return \U0001d465.split("\U0001f680")\n'
    ),
}
QUESTIONS = ["where is launchRocket?", "parseOrbit", "OrbitTable look up", "split_caf\u00e9_names"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A workspace whose folder has a name that needs escaping."""
    root = tmp_path / "my 项目 100%"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    return root


@pytest_lsp.fixture(config=SERVER, params=["utf-8", "utf-16", "utf-32"])  # type: ignore[untyped-decorator]  # so it is there
async def client(
    lsp_client: LanguageClient, request: pytest.FixtureRequest, tree: Path
) -> AsyncIterator[None]:
    """Open the workspace with one position encoding, and shut the server down in good order."""
    encodings: list[types.PositionEncodingKind | str] = [request.param]
    result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                general=types.GeneralClientCapabilities(position_encodings=encodings)
            ),
            workspace_folders=[types.WorkspaceFolder(uri=tree.as_uri(), name="tree")],
        )
    )
    assert result.capabilities.position_encoding == request.param
    yield
    await lsp_client.shutdown_session()


def cut(text: str, place: Any, encoding: str) -> str:
    """Cut a range out of a text, on its bytes in the client's encoding: nothing here is the server's own code."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    encoded = [line.encode(CODECS[encoding]) for line in lines]
    unit = BYTES_A_UNIT[encoding]
    start, end = (sum(map(len, encoded[: at.line])) + at.character * unit for at in (place.start, place.end))
    return b"".join(encoded)[start:end].decode(CODECS[encoding])


def without_last_line_end(text: str) -> str:
    return re.sub(r"(\r\n|\r|\n)\Z", "", text)


async def call(client: LanguageClient, method: str, params: dict[str, Any]) -> Any:
    return await asyncio.wrap_future(client.protocol.send_request(method, params))


async def ask(client: LanguageClient, question: str) -> Any:
    return await call(client, "codecite/ask", {"question": question})


async def test_places(client: LanguageClient, tree: Path, request: pytest.FixtureRequest) -> None:
    encoding: str = request.node.callspec.params["client"]
    await call(client, "codecite/reindex", {})
    await check_disk(client, tree, encoding)
    await check_unsaved_text(client, tree, encoding)


async def check_disk(client: LanguageClient, tree: Path, encoding: str) -> None:
    cited, names = set(), set()
    for question in QUESTIONS:
        answer = await ask(client, question)
        assert answer.citations, answer
        for citation in answer.citations:
            assert citation.location.uri == (tree / citation.path).as_uri()
            shown = cut(FILES[citation.path], citation.location.range, encoding)
            assert shown == without_last_line_end(citation.text)
            cited.add(citation.path)
            if citation.selection:
                names.add(cut(FILES[citation.path], citation.selection, encoding))
    assert cited == set(FILES)
    assert {"launchRocket", "split_caf\u00e9_names", "OrbitTable"} <= names


async def check_unsaved_text(client: LanguageClient, tree: Path, encoding: str) -> None:
    uri = (tree / "rocket.js").as_uri()
    text = FILES["rocket.js"]
    item = types.TextDocumentItem(uri=uri, language_id="javascript", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    added = "// 名前 \U0001f680\f one line\u2028 still\r\n\r\n"
    at = types.Position(1, 0)
    change = types.TextDocumentContentChangePartial(range=types.Range(at, at), text=added)
    document = types.VersionedTextDocumentIdentifier(2, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
    text = text.replace("/* \U0001f680", added + "/* \U0001f680", 1)
    answer = await ask(client, "where is launchRocket?")
    moved = [one for one in answer.citations if one.path == "rocket.js" and one.symbol == "launchRocket"]
    assert moved
    for citation in moved:
        assert cut(text, citation.location.range, encoding) == without_last_line_end(citation.text)
        assert cut(text, citation.selection, encoding) == "launchRocket"
        assert citation.state in ("moved", "changed")
        assert f"`rocket.js:{citation.start_line}-{citation.end_line}`" in answer.text


@pytest.mark.parametrize("client", ["utf-16"], indirect=True)
async def test_a_save_is_found(client: LanguageClient, tree: Path) -> None:
    await call(client, "codecite/reindex", {})
    (tree / "fresh.py").write_text("def dock_with_station():\n    return 1\n", "utf-8")
    file = types.TextDocumentIdentifier((tree / "fresh.py").as_uri())
    client.text_document_did_save(types.DidSaveTextDocumentParams(file))
    while True:
        told = asyncio.wrap_future(client.protocol.wait_for_notification("codecite/statusChanged"))
        answer = await ask(client, "dock_with_station")
        if answer.citations and answer.citations[0].path == "fresh.py":
            break
        await told


LANDING = '"""Lands \U0001f680."""\n\n\ndef land_softly(speed):\n    return speed / 2\n'


@pytest.mark.parametrize("client", ["utf-16"], indirect=True)
async def test_unsaved_text_is_answered_from(client: LanguageClient, tree: Path) -> None:
    """Edit, ask; save, ask at once: the place is always that of the text in the editor."""
    path = tree / "landing.py"
    path.write_text(LANDING, "utf-8")
    await call(client, "codecite/reindex", {})
    uri = path.as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=LANDING)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    await check_definition(client, LANDING, "land_softly", "fresh")

    above = "# 名 \U0001f680\n" * 10
    edit(client, uri, types.Position(0, 0), above)
    edit(client, uri, types.Position(15, 0), "\n\nNAME = '\U0001f680名'; abort_landing = lambda: NAME\n")
    text = f"{above}{LANDING}\n\nNAME = '\U0001f680名'; abort_landing = lambda: NAME\n"
    cited = await check_definition(client, text, "land_softly", "moved")
    await check_definition(client, text, "abort_landing", "changed")

    path.write_text(text, "utf-8")
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    await check_definition(client, text, "land_softly", None)
    await check_definition(client, text, "abort_landing", None)

    edit(client, uri, types.Position(0, 0), "\n")
    (anchored,) = (await call(client, "codecite/anchor", {"citations": [as_json(cited)]})).citations
    assert (anchored.start_line, anchored.state) == (cited.start_line + 1, "moved")
    assert cut("\n" + text, anchored.location.range, "utf-16") == without_last_line_end(cited.text)
    assert cut("\n" + text, anchored.selection, "utf-16") == "land_softly"


def edit(client: LanguageClient, uri: str, at: types.Position, added: str) -> None:
    change = types.TextDocumentContentChangePartial(range=types.Range(at, at), text=added)
    document = types.VersionedTextDocumentIdentifier(2, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))


async def check_definition(client: LanguageClient, text: str, name: str, state: str | None) -> Any:
    """Ask for a name; the first citation has to be its definition in this text. Return it."""
    answer = await ask(client, f"where is {name} defined?")
    assert answer.citations, answer.text
    first = answer.citations[0]
    shown = cut(text, first.location.range, "utf-16")
    assert f"def {name}" in shown or f"{name} =" in shown
    assert shown == without_last_line_end(first.text)
    if first.selection:
        assert cut(text, first.selection, "utf-16") in (name, "NAME")
    assert state is None or first.state == state
    return first


def as_json(value: Any) -> Any:
    """Undo what the client library made of a JSON object."""
    if hasattr(value, "_asdict"):
        return {name: as_json(inner) for name, inner in value._asdict().items()}
    return [as_json(inner) for inner in value] if isinstance(value, list) else value
