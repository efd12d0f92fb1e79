import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, type Entry } from "../../src/panel/conversation";
import { asMarkdown } from "../../src/panel/copying";
import { afterEdits } from "../../src/panel/lines";
import { fromPage } from "../../src/panel/messages";
import { present } from "../../src/panel/present";
import type { Answer } from "../../src/protocol";
import { TEXTS, answer, citation } from "./made";

function entryOf(given: Answer, question = "where?"): Entry {
    const conversation = new Conversation();
    const entry = conversation.begin({ question });
    conversation.show(entry, given, "done");
    return entry;
}

void test("rows show the lines of now, and the text does not repeat the old ones", () => {
    const entry = entryOf(answer([citation(1), citation(2)]));
    entry.shown = [citation(1), citation(2, { state: "moved", start_line: 20, end_line: 20, excerpt_start: 20 })];
    const view = present(entry, TEXTS);
    assert.equal(view.text, "Found:");
    assert.deepEqual(
        view.rows.map(({ place, badge, label, firstLine }) => [place, badge, label, firstLine]),
        [
            ["src/part1.py:10-12", "", "Citation 1, src/part1.py lines 10 to 12, part1", 10],
            ["src/part2.py:20", "moved", "Citation 2, src/part2.py line 20, part2, moved", 20],
        ],
    );
    assert.deepEqual(view.rows[0]?.lines, ["def part1():", "    pass"]);
    assert.equal(view.footer, "");
});

void test("the text of a model is shown whole, and below it what was searched", () => {
    const given = "- `src/part1.py:10-12` defines `part1` [1]";
    const { text, footer } = present(entryOf(answer([citation(1)], { generator: "a-model", text: given })), TEXTS);
    assert.deepEqual([text, footer], [given, "Searched 3 files"]);
});

void test("no evidence, degraded sources and problems are said", () => {
    const given = answer([], { text: "No evidence found.", degraded: ["by name only"], searched: { files: 1, blocks: 1 } });
    const entry = entryOf(given);
    entry.problems = ["the engine is gone"];
    const { abstained, summary, notes, footer, rows } = present(entry, TEXTS);
    assert.deepEqual(
        { abstained, summary, notes, footer, rows },
        {
            abstained: true,
            summary: "none",
            notes: ["by name only", "not checked: the engine is gone"],
            footer: "",
            rows: [],
        },
    );
});

void test("a copied answer has its evidence as places and fences that its code cannot end", () => {
    const entry = entryOf(answer([citation(1)]), "where\nis it?");
    entry.shown = [citation(1, { state: "moved", start_line: 20, end_line: 22, excerpt: "```\n<b>\n" })];
    assert.equal(
        asMarkdown(entry, TEXTS.badges),
        "**where is it?**\n\nFound:\n\n[1] `src/part1.py:20-22` — `part1` (moved)\n\n````python\n```\n<b>\n````\n",
    );
});

const at = (line: number, character = 0) => ({ line, character });
const edits = [
    ["a line typed above", at(2, 4), at(2, 4), "\n", [11, 13]],
    ["a line put right above", at(10), at(10), "new\n", [11, 13]],
    ["the line right above taken out", at(9), at(10), "", [9, 11]],
    ["the break before the first line taken out", at(9, 4), at(10), "", undefined],
    ["text typed at the start", at(10), at(10), "x", undefined],
    ["text typed inside", at(11, 3), at(11, 3), "x", undefined],
    ["all replaced", at(0), at(40), "", undefined],
    ["a line typed below", at(13), at(13), "\n", [10, 12]],
] as const;
for (const [name, start, end, text, lines] of edits) {
    void test(`marked lines after an edit: ${name}`, () => {
        const after = afterEdits({ first: 10, last: 12 }, [{ range: { start, end }, text }]);
        assert.deepEqual(after && [after.first, after.last], lines);
    });
}

void test("messages of the page are checked", () => {
    const good = [
        { type: "ready" },
        { type: "ask", question: "?" },
        { type: "again", id: 1 },
        { type: "toggle", id: 1, expanded: true },
        { type: "open", id: 1, n: 2 },
    ];
    for (const message of good) assert.deepEqual(fromPage({ ...message, more: 1 }), message);
    const bad = [undefined, null, "ready", {}, { type: "eval" }, { type: "ask" }, { type: "open", id: "1", n: 2 }, { type: "toggle", id: 1 }];
    for (const message of bad) assert.equal(fromPage(message), undefined);
});
