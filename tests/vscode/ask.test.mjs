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

journey("ask", { name: "ask", folder }, async ({ editor, page, step }) => {
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
        assert.deepEqual(await page.barriers(), []);
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
        await page.entry(QUESTION).locator('button.row[data-citation="1"]').click();
        await page.landed(basename(rows[0].path), rows[0].first, rows[0].last);
        await page.illustrate("answer-light");
    });

    await step("a hover says what a name is, and its links jump", async () => {
        await page.entry(QUESTION).locator('button.row[data-citation="1"]').click();
        await page.landed(basename(rows[0].path), rows[0].first, rows[0].last);
        await page.command("Show or Focus Hover");
        const hover = page.it.locator(".monaco-hover:visible").filter({ hasText: "workspace_settings" });
        const link = hover.locator('a[data-href*="#L"]').last();
        await link.waitFor();
        await page.picture("hover");
        await page.illustrate("hover");
        const [, file, line] = /([^/]+)#L(\d+)/.exec(await link.getAttribute("data-href"));
        await link.click();
        await page.landed(file, Number(line), Number(line));
    });

    const first = () => page.entry(QUESTION).locator('button.row[data-citation="1"]');
    const { path } = rows[0];

    await step("an edit above a citation moves it, unsaved as it is", async () => {
        const { first: start, last: end } = rows[0];
        await first().click();
        await page.landed(basename(path), start, end);
        await page.it.keyboard.press("Control+Home");
        await page.write("# one\n# two\n");
        await first().filter({ hasText: `:${start + 2}-${end + 2}` }).waitFor();
        const [now] = await page.evidence(page.entry(QUESTION));
        assert.equal(now.state, "moved");
        const text = await lines(folder, path);
        for (const [number, shown] of now.code) assert.equal(shown.trim(), text[number - 3].trim());
        await first().click();
        await page.landed(basename(path), start + 2, end + 2);
        await page.picture("moved");
    });

    await step("what was typed and not saved is found", async () => {
        await page.it.keyboard.press("Control+End");
        await page.write("\n\ndef brew_midnight_teapot(kettle):\n    return kettle\n");
        const [found] = await page.evidence(await page.ask("where is brew_midnight_teapot?"));
        assert.deepEqual([found.path, found.state], [path, "changed"]);
        assert.match(found.why, /brew_midnight_teapot/);
    });

    await step("what was saved is found, right on its lines", async () => {
        await page.tab(basename(path)).click();
        await page.it.keyboard.press("Control+S");
        await page.it.locator(".tab.active:not(.dirty)").waitFor();
        const found = await page.evidence(await page.ask("brew_midnight_teapot"));
        assert.equal(found[0].path, path);
        assert.match(found[0].why, /brew_midnight_teapot/);
        await matchesDisk(found);
    });

    const engine = () => JSON.parse(editor.codecite("status", "--json")).engine.pid;

    await step("a question that takes long is cancelled", async () => {
        const stopped = engine();
        process.kill(stopped, "SIGSTOP");
        try {
            await page.askInPanel("what is asked in vain?");
            const entry = page.entry("what is asked in vain?");
            await entry.locator(".progress").waitFor();
            await page.picture("asking");
            await page.panel.locator('[data-action="cancel"]').click();
            await entry.and(page.panel.locator('[data-status="cancelled"]')).waitFor();
        } finally {
            process.kill(stopped, "SIGCONT");
        }
    });

    await step("the engine is killed, and the next question is answered as if nothing had been", async () => {
        const killed = engine();
        process.kill(killed, "SIGKILL");
        await page.askInPanel("where is the ledger opened?");
        await matchesDisk(await page.evidence(await page.answered("where is the ledger opened?")));
        assert.notEqual(engine(), killed);
    });

    await step("Chinese is understood", async () => {
        await matchesDisk(await page.evidence(await page.ask("哪里解析配置文件")));
    });

    await step("Show Status shows the counts and what can be done", async () => {
        await page.command("Codecite: Show Status");
        await page.row("Rebuild the Index").waitFor();
        await page.row(/\d+ files · \d+ blocks/).waitFor();
        await page.picture("status");
        await page.it.keyboard.press("Escape");
    });

    await step("Reindex Workspace says when the index is up to date", async () => {
        await page.command("Codecite: Reindex Workspace");
        await page.notification(/The index is up to date: \d+ files, \d+ blocks/).waitFor();
    });

    await step("Show Log shows what the server said", async () => {
        await page.command("Codecite: Show Log");
        await page.it.locator(".part.panel .view-line").filter({ hasText: /\[info\]/ }).first().waitFor();
        await page.picture("log");
        await page.command("View: Hide Panel");
    });

    await step("an earlier question is still there, and comes back into the box", async () => {
        const entry = page.entry(QUESTION);
        if ((await entry.locator("h2 button").getAttribute("aria-expanded")) === "false") await entry.locator("h2 button").click();
        await matchesDisk(await page.evidence(entry));
        await page.box.focus();
        await page.box.press("ArrowUp");
        assert.equal(await page.box.inputValue(), "哪里解析配置文件");
        await page.box.fill("");
    });

    await step("an answer is copied as Markdown", async () => {
        const entry = page.entry(QUESTION);
        await entry.locator('[data-action="copy"]').click();
        await page.panel.locator(".voice", { hasText: "Copied" }).waitFor({ state: "attached" });
        const [{ path, first, last }] = await page.evidence(entry);
        const copied = await page.clipboard();
        assert.ok(copied.includes(QUESTION) && copied.includes(`${path}:${first}-${last}`), copied);
    });

    await step("with the keyboard alone: ask, choose, jump", async () => {
        const { keyboard } = page.it;
        await keyboard.press("Control+Shift+E");
        await page.it.locator(".explorer-viewlet").waitFor();
        await keyboard.press("F1");
        await keyboard.type("Codecite: Ask Codebase");
        await page.row("Codecite: Ask Codebase").and(page.it.locator(".focused")).waitFor();
        await keyboard.press("Enter");
        await page.quickInput.filter({ hasText: "Ask Codebase" }).waitFor();
        await keyboard.type("where are skipped files listed?");
        await keyboard.press("Enter");
        const found = await page.evidence(await page.answered("where are skipped files listed?"));
        const focused = page.panel.locator("button.row:focus");
        for (let i = 0; i < 12 && (await focused.count()) === 0; i += 1) await keyboard.press("Tab");
        await keyboard.press("ArrowDown");
        assert.equal(await focused.getAttribute("data-citation"), "2");
        await keyboard.press("Enter");
        await page.landed(basename(found[1].path), found[1].first, found[1].last);
        await page.it.locator(".monaco-editor.focused").waitFor();
    });

    await step("Clear History leaves the panel empty", async () => {
        await page.command("Codecite: Clear History");
        await page.panel.locator("article.entry").first().waitFor({ state: "detached" });
        await page.picture("empty");
    });
});
