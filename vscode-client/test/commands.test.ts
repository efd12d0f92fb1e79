import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, test } from "node:test";
import { type Actions, registerCommands } from "../src/commands";
import type { AskParams } from "../src/protocol";
import { PROJECT } from "./support/programs";
import { CancellationError, editor, window } from "./support/vscode";

interface Manifest {
    contributes: { commands: { command: string }[] };
}

beforeEach(() => {
    editor.reset();
});

function registered(more: Partial<Actions> = {}): { asked: AskParams[]; run: (name: string, ...args: unknown[]) => Promise<void> } {
    const asked: AskParams[] = [];
    const nothing = (): Promise<void> => Promise.resolve();
    registerCommands({
        answers: {
            ask: (params) => {
                asked.push(params);
                return Promise.resolve();
            },
            copyAnswer: nothing,
            clearHistory: nothing,
        },
        reindex: () => Promise.reject(new Error("not expected")),
        showStatus: nothing,
        showLog: () => undefined,
        restart: nothing,
        install: nothing,
        ...more,
    });
    return {
        asked,
        run: async (name, ...args) => {
            await editor.commands.get(name)?.(...args);
        },
    };
}

void test("every command of package.json is there, and no other", () => {
    registered();
    const manifest = JSON.parse(readFileSync(path.join(PROJECT, "package.json"), "utf8")) as Manifest;
    const names = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual([...editor.commands.keys()].sort(), names.sort());
});

void test("a question is asked; an empty one, or none, is not", async () => {
    const { asked, run } = registered();
    for (const typed of [undefined, "", "  ", " where?\n"]) {
        editor.answer = typed;
        await run("codecite.askCodebase");
    }
    assert.deepEqual(asked, [{ question: "where?" }]);
});

void test("a symbol is the word under the cursor, or what is selected on one line", async () => {
    const { asked, run } = registered();
    const text = "def load_all(): pass";
    const at = (character: number) => ({ line: 4, character });
    const range = (start: number, end: number, lines = 1) => ({
        start: at(start),
        active: at(end),
        isEmpty: start === end,
        isSingleLine: lines === 1,
    });
    const shown = (selection: unknown, word: unknown) => ({
        selection,
        document: {
            uri: { toString: () => "file:///a.py" },
            getWordRangeAtPosition: () => word,
            getText: ({ start, active }: { start: { character: number }; active: { character: number } }) =>
                text.slice(start.character, active.character),
        },
    });
    const cases: [unknown, string | undefined][] = [
        [shown(range(6, 6), range(4, 12)), "load_all"],
        [shown(range(3, 8), undefined), "load"],
        [shown(range(13, 13), undefined), undefined],
        [shown(range(0, 4, 2), range(4, 12)), undefined],
        [shown(range(3, 4), range(4, 12)), undefined],
        [undefined, undefined],
    ];
    for (const [active, symbol] of cases) {
        editor.shown.length = asked.length = 0;
        window.activeTextEditor = active;
        await run("codecite.askAboutSymbol");
        assert.equal(asked[0]?.question, symbol && `What is \`${symbol}\` and where is it used?`);
        assert.equal(editor.shown.length, symbol ? 0 : 1);
    }
    window.activeTextEditor = shown(range(6, 6), range(4, 12));
    await run("codecite.askAboutSymbol");
    assert.deepEqual([asked[0]?.uri, asked[0]?.position], ["file:///a.py", { line: 4, character: 6 }]);
});

void test("reindexing tells its steps and one line at the end", async () => {
    const told: boolean[] = [];
    const { run } = registered({
        reindex: (full, _token, onProgress) => {
            told.push(full);
            onProgress("reading files: 1 of 2");
            const ready = { state: "ready" as const, files: { indexed: 2 }, blocks: { total: 5 } };
            const workspaces = [{ workspace: "/a", ...ready }, { workspace: "/b", ...ready }];
            return Promise.resolve({ workspaces, problems: full ? ["/c: gone"] : [] });
        },
    });
    await run("codecite.reindexWorkspace");
    await run("codecite.reindexWorkspace", { full: true });
    assert.deepEqual(told, [false, true]);
    assert.deepEqual(editor.progress, ["reading files: 1 of 2", "reading files: 1 of 2"]);
    assert.deepEqual(editor.shown.map(({ kind, text }) => [kind, text]), [
        ["information", "The index is up to date: 4 files, 10 blocks."],
        ["warning", "The index is up to date: 4 files, 10 blocks. /c: gone"],
    ]);
});

void test("an error is one message, cancelling is none", async () => {
    for (const [error, messages] of [[new Error("one\n  line"), ["one line"]], [new CancellationError(), []]] as const) {
        editor.reset();
        const { run } = registered({ reindex: () => Promise.reject(error) });
        await run("codecite.reindexWorkspace");
        assert.deepEqual(editor.shown.map(({ text }) => text), messages);
    }
});
