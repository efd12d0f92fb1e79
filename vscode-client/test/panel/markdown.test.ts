import assert from "node:assert/strict";
import { test } from "node:test";
import { type Block, type Inline, parse } from "../../src/panel/page/markdown";

const MARKS = new Set([1, 2]);

/** A tree in short: kinds and texts. */
function short(blocks: Block[]): unknown[] {
    const line = (inlines: Inline[]) =>
        inlines.map((one) => (one.kind === "mark" ? `[${one.n}]` : one.kind === "text" ? one.text : `${one.kind}:${one.text}`));
    return blocks.map((block) => {
        switch (block.kind) {
            case "code":
                return ["code", block.text];
            case "list":
                return [block.ordered ? `list from ${block.start}` : "list", ...block.items.map(line)];
            case "paragraph":
            case "heading":
                return [block.kind, ...line(block.inlines)];
        }
    });
}

const cases: [name: string, markdown: string, tree: unknown[]][] = [
    ["nothing", "", []],
    ["paragraphs", "one\ntwo\r\n\r\nthree", [["paragraph", "one", " ", "two"], ["paragraph", "three"]]],
    ["inline", "a `b **c**` **d** [1]", [["paragraph", "a ", "code:b **c**", " ", "bold:d", " ", "[1]"]]],
    ["a mark of nothing", "so [99], [0] and [1][2]", [["paragraph", "so [99], [0] and ", "[1]", "[2]"]]],
    ["a mark in code is code", "`x[1]`", [["paragraph", "code:x[1]"]]],
    ["lists", "- a [1]\n- b\n  goes on\n3. c", [["list", ["a ", "[1]"], ["b", " ", "goes on"]], ["list from 3", ["c"]]]],
    ["heading", "## Why `x`", [["heading", "Why ", "code:x"]]],
    ["fence", "```py\nx = a[1]\n```\nafter", [["code", "x = a[1]"], ["paragraph", "after"]]],
    ["a longer fence holds a shorter one", "````\n```\ninner\n```\n````", [["code", "```\ninner\n```"]]],
    ["a fence of tildes", "~~~\n```\n~~~", [["code", "```"]]],
    ["a fence that is not closed", "```\nstill **streaming**", [["code", "still **streaming**"]]],
    ["HTML is text", '<img src=x onerror="alert(1)">', [["paragraph", '<img src=x onerror="alert(1)">']]],
    ["links and images are text", "![a](http://x) [b](command:c)", [["paragraph", "![a](http://x) [b](command:c)"]]],
    ["what is not closed is text", "a `b and **c", [["paragraph", "a `b and **c"]]],
    ["Chinese", "**配置**在`load`[1]。", [["paragraph", "bold:配置", "在", "code:load", "[1]", "。"]]],
];

for (const [name, markdown, tree] of cases) {
    void test(`markdown: ${name}`, () => {
        assert.deepEqual(short(parse(markdown, MARKS)), tree);
    });
}

void test("markdown: no text is lost and none takes long", () => {
    for (const piece of ["`", "**", "[", "[1", "- ", "```", "# ", "** `", "*", "\n> "]) {
        const text = piece.repeat(40_000);
        const began = performance.now();
        parse(text, MARKS);
        const took = performance.now() - began;
        assert.ok(took < 2000, `${JSON.stringify(piece)} took ${Math.round(took)} ms`);
    }
});
