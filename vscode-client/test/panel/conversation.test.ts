import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST, batches, joined, toAnchor } from "../../src/panel/anchoring";
import { Conversation, REMEMBERED } from "../../src/panel/conversation";
import { answer, citation } from "./made";

void test("a new question stands on top and folds the others", () => {
    const conversation = new Conversation();
    conversation.begin({ question: "one" });
    conversation.begin({ question: "two" });
    assert.deepEqual(
        conversation.entries.map(({ params, expanded }) => [params.question, expanded]),
        [["two", true], ["one", false]],
    );
});

void test("the same question asked again gives way; asked of another folder it does not", () => {
    const conversation = new Conversation();
    conversation.begin({ question: "one" });
    conversation.begin({ question: "one", uri: "file:///a" });
    conversation.begin({ question: "one" });
    assert.deepEqual(
        conversation.entries.map(({ params }) => params.uri),
        [undefined, "file:///a"],
    );
});

void test("only so many questions are remembered", () => {
    const conversation = new Conversation();
    for (let i = 0; i <= REMEMBERED; i++) conversation.begin({ question: `q${i}` });
    assert.equal(conversation.entries.length, REMEMBERED);
    assert.equal(conversation.entries.at(-1)?.params.question, "q1");
});

void test("a partial answer is replaced, and nothing arrives after the end", () => {
    const conversation = new Conversation();
    const entry = conversation.begin({ question: "one" });
    assert.ok(conversation.show(entry, answer([citation(1)]), "asking"));
    assert.equal(entry.status, "asking");
    assert.ok(conversation.show(entry, answer([citation(1), citation(2)]), "done"));
    assert.equal(entry.shown.length, 2);
    assert.ok(!conversation.show(entry, answer([]), "asking"));
    assert.ok(!conversation.end(entry, "cancelled"));
    assert.deepEqual([entry.status, entry.shown.length], ["done", 2]);
});

void test("what had arrived stays when a question fails or is cancelled", () => {
    for (const status of ["failed", "cancelled"] as const) {
        const conversation = new Conversation();
        const entry = conversation.begin({ question: "one" });
        conversation.show(entry, answer([citation(1)]), "asking");
        conversation.end(entry, status, "why");
        assert.deepEqual([entry.status, entry.error, entry.shown.length], [status, "why", 1]);
    }
});

void test("a conversation is restored folded, and what was cut off is cancelled", () => {
    const conversation = new Conversation();
    conversation.show(conversation.begin({ question: "one" }), answer([citation(1)]), "done");
    conversation.begin({ question: "two", uri: "file:///a" });
    const stored: unknown = JSON.parse(JSON.stringify(conversation.toStored()));
    const restored = Conversation.fromStored(stored);
    assert.deepEqual(
        restored.entries.map(({ params, status, expanded, shown }) => [params, status, expanded, shown.length]),
        [
            [{ question: "two", uri: "file:///a" }, "cancelled", false, 0],
            [{ question: "one" }, "done", false, 1],
        ],
    );
    assert.equal(restored.latest?.params.question, "one");
});

void test("what another version stored is no conversation", () => {
    for (const stored of [undefined, null, 3, [], {}, { version: 2, entries: [] }, { version: 1 }]) {
        assert.deepEqual(Conversation.fromStored(stored).entries, []);
    }
});

function answered(count: number) {
    const conversation = new Conversation();
    const entry = conversation.begin({ question: `q${count}` });
    const citations = Array.from({ length: count }, (_, i) => citation(i + 1));
    conversation.show(entry, answer(citations), "done");
    return entry;
}

void test("a citation is sent as it came, and as shown where that differs", () => {
    const entry = answered(2);
    const [first, second] = entry.shown;
    assert.ok(first && second);
    assert.deepEqual(toAnchor(entry), [first, second]);
    const moved = { ...second, state: "moved" as const, start_line: 20 };
    entry.shown = [first, moved];
    assert.deepEqual(toAnchor(entry), [first, second, moved]);
});

const outcomes = [
    ["taken back", { state: "fresh", start_line: 10 }, { state: "moved", start_line: 10 }, ["fresh", 10]],
    ["moved, then changed", { state: "changed", start_line: 10 }, { state: "changed", start_line: 26 }, ["changed", 26]],
    ["there twice", { state: "moved", start_line: 10 }, { state: "moved", start_line: 40 }, ["moved", 40]],
    ["changed, then back", { state: "moved", start_line: 13 }, { state: "changed", start_line: 13 }, ["moved", 13]],
    ["gone", { state: "gone", start_line: 10 }, { state: "gone", start_line: 26 }, ["gone", 26]],
] as const;
for (const [name, asCame, asShown, wanted] of outcomes) {
    void test(`anchored from both: ${name}`, () => {
        const entry = answered(1);
        entry.shown = [citation(1, { state: "moved", start_line: 26 })];
        const [now] = joined(entry, [citation(1, asCame), citation(1, asShown)]);
        assert.deepEqual([now?.state, now?.start_line], wanted);
    });
}

void test("requests hold no more than a server takes, and everything is sent", () => {
    const entries = [answered(60), answered(0), answered(60), answered(40), answered(1)];
    const sizes = batches(entries).map((batch) => batch.map((entry) => entry.shown.length));
    assert.deepEqual(sizes, [[60], [60, 40], [1]]);
    const full = answered(MOST);
    full.shown = full.shown.map((one) => ({ ...one, state: "moved" }));
    assert.equal(toAnchor(full).length, MOST);
    assert.equal(joined(full, toAnchor(full)).length, MOST);
});
