/** Ask, jump, and see it live: the way of every day. */

import assert from "node:assert/strict";
import { basename } from "node:path";
import { journey } from "./lib/journey.mjs";
import { clone, lines } from "./lib/repository.mjs";

const QUESTION = "where are the workspace settings resolved?";

const folder = clone();

/** Every line of code in the evidence is the file's line of that number. */
async function matchesDisk(rows) {
    assert.ok(rows.length > 0, "no evidence");
    for (const { path, first, last, code } of rows) {
        const text = await lines(folder, path);
        assert.ok(code.length > 0, `${path}: no code is shown`);
        for (const [number, shown] of code) {
            assert.equal(shown.trimEnd(), text[number - 1].trimEnd() || " ".trimEnd(), `${path}:${number}`);
            assert.ok(first <= number && number <= last, `${path}:${number} is not in ${first}-${last}`);
        }
    }
}

journey("ask", { name: "ask", folder }, async ({ page, step }) => {
    await step("the status bar shows progress, then that it is ready", async () => {
        await page.status.and(page.it.locator('[aria-label*="indexing, "]')).waitFor();
        await page.picture("indexing");
        await page.status.and(page.it.locator('[aria-label*="ready"]')).waitFor();
    });

    let rows;
    await step("a question from the palette is answered with evidence, right on its lines", async () => {
        rows = await page.evidence(await page.ask(QUESTION));
        await page.picture("answer");
        await matchesDisk(rows);
        assert.equal(rows[0].path, "server/codecite/engine/configuration.py");
    });

    await step("a click on a citation lands on its lines, which are marked", async () => {
        for (const { n, path, first, last } of rows.slice(0, 3)) {
            await page.entry(QUESTION).locator(`button.row[data-citation="${n}"]`).click();
            await page.landed(basename(path), first, last);
            await page.it.waitForFunction(() => document.querySelector('.view-overlays [class*="ced-"]'));
            const { marked, seen } = await page.marked();
            assert.deepEqual(marked, seen.filter((line) => first <= line && line <= last), path);
        }
        await page.picture("jump");
    });
});
