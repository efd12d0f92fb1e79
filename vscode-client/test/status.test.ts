import assert from "node:assert/strict";
import { test } from "node:test";
import type { FolderState, FolderStatus } from "../src/protocol";
import { type Condition, Facts } from "../src/status/facts";
import { folderFacts, stepWords } from "../src/status/words";

const running = (): Facts => {
    const facts = new Facts();
    facts.server = { kind: "running", server: { executable: "/x", origin: "path", version: "1.2.3" } };
    return facts;
};
const folder = (state: FolderState, more: Partial<FolderStatus> = {}): FolderStatus => ({ workspace: `/${state}`, state, ...more });

void test("the least ready folder speaks for all", () => {
    const cases: [FolderState[], Condition][] = [
        [[], "empty"],
        [["ready"], "ready"],
        [["ready", "stopped"], "stopped"],
        [["stopped", "degraded"], "degraded"],
        [["indexing", "degraded", "ready"], "indexing"],
        [["failed", "indexing"], "failed"],
    ];
    for (const [states, condition] of cases) {
        const facts = running();
        states.forEach((state) => {
            facts.told(folder(state));
        });
        assert.equal(facts.condition, condition, states.join());
    }
});

void test("a server that does not run speaks before any folder", () => {
    const facts = running();
    facts.told(folder("ready"));
    facts.server = { kind: "missing", reason: "no" };
    assert.equal(facts.condition, "missing");
});

void test("progress counts while it goes on, all of it together", () => {
    const facts = running();
    facts.told(folder("ready"));
    facts.progress("a", { kind: "begin", message: "looking at the files" });
    assert.equal(facts.condition, "indexing");
    assert.equal(stepWords(facts), undefined);
    facts.progress("a", { kind: "report", message: "reading files: 3 of 10" });
    facts.progress("b", { kind: "report", message: "making vectors: 10 of 20" });
    assert.equal(stepWords(facts), "13 of 30");
    facts.progress("a", { kind: "end" });
    facts.progress("b", { kind: "end" });
    assert.equal(facts.condition, "ready");
});

void test("problems of folders that did not answer are a failure, those of one that did are facts", () => {
    const facts = running();
    const ready = folder("ready", { problems: ["codecite.toml: unknown key"] });
    facts.take({ state: "ready", workspaces: [ready], problems: ["codecite.toml: unknown key"] });
    assert.equal(facts.condition, "ready");
    facts.take({ state: "failed", workspaces: [ready], problems: ["codecite.toml: unknown key", "/other: no space left"] });
    assert.deepEqual(facts.problems, ["/other: no space left"]);
    assert.equal(facts.condition, "failed");
    facts.told(ready);
    assert.equal(facts.condition, "ready");
});

void test("the facts of a folder are lines, and stay when its engine rests", () => {
    const facts = running();
    const known = { files: { indexed: 3 }, blocks: { total: 9 }, vectors: { embedder: "hashed" }, problems: ["odd"], last_success: 0 };
    facts.told(folder("ready", { workspace: "/one", ...known }));
    facts.told({ workspace: "/one", state: "stopped" });
    const lines = folderFacts(facts.folders.get("/one") ?? folder("empty"));
    assert.deepEqual(
        [lines[0], lines[1], lines[3]],
        ["resting; the next question starts it", "3 files · 9 blocks · embedder hashed", "odd"],
    );
    assert.match(lines[2] ?? "", /^last indexed .*(1970|1969)/);
});
