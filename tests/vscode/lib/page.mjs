/** VS Code as somebody who sits before it sees and uses it. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { IMAGES } from "./places.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** White space as it is seen: VS Code puts non-breaking spaces and line breaks where it likes. */
const seen = (text) => text.replace(/[\s\u00a0]+/g, " ").trim();

/** The item of the status bar that says where the cursor is. */
const CURSOR = "status.editor.selection";

export class Page {
    #output;
    #pictures = 0;
    /** @type {import("playwright-core").Page} */
    it;

    constructor(page, output) {
        this.it = page;
        this.#output = output;
    }

    async open(address) {
        await this.it.goto(address);
        await this.it.locator(".monaco-workbench .statusbar-item").first().waitFor();
    }

    /** Keep a picture of what is seen; a name that is given twice is kept twice. */
    async picture(name, options = {}) {
        this.#pictures += 1;
        const file = join(this.#output, `${String(this.#pictures).padStart(2, "0")}-${name}.png`);
        await this.it.screenshot({ path: file, ...options });
        return file;
    }

    /** Make a picture for the documentation, where the run was asked to: `UPDATE_IMAGES=1`. */
    async illustrate(name) {
        if (process.env.UPDATE_IMAGES) await this.it.screenshot({ path: join(IMAGES, `${name}.png`) });
    }

    // The command palette and the other lists at the top

    get quickInput() {
        return this.it.locator(".quick-input-widget:visible");
    }

    /** Run a command by its title. */
    async command(title) {
        await this.it.keyboard.press("F1");
        await this.quickInput.locator("input").first().fill(`>${title}`);
        // By a click: Enter could come before the list is filtered.
        await this.row(title).first().click();
    }

    /** A row of the list that is shown. */
    row(label) {
        return this.quickInput.locator(".monaco-list-row").filter({ hasText: label });
    }

    /** Write into the input box that has this title, and press Enter. */
    async answer(title, text) {
        const box = this.quickInput.filter({ hasText: title }).locator("input").first();
        await box.fill(text);
        await box.press("Enter");
    }

    // The status bar

    get status() {
        return this.it.locator('.statusbar-item[id^="codecite.codecite"]');
    }

    /** The line and the column of the cursor. */
    async cursor() {
        const text = await this.it.locator(`[id="${CURSOR}"]`).innerText();
        const found = /(\d+)\D+(\d+)/.exec(text);
        return { line: Number(found[1]), column: Number(found[2]) };
    }

    // Notifications

    notification(text) {
        return this.it.locator(".notifications-toasts .notification-list-item").filter({ hasText: text });
    }

    async notifications() {
        const texts = await this.it.locator(".notifications-toasts .notification-list-item-message").allInnerTexts();
        return texts.map(seen);
    }

    // Editors

    editor() {
        return this.it.locator(".editor-instance .monaco-editor").first();
    }

    async openFile(path) {
        await this.it.keyboard.press("Control+P");
        const box = this.quickInput.locator("input").first();
        await box.fill(path);
        await this.quickInput.locator(".monaco-list-row").first().click();
        await this.tab(path.split("/").at(-1)).waitFor();
    }

    /** Put a text in at the cursor as it is, without what an editor adds to typed lines. */
    async write(text) {
        await this.it.keyboard.insertText(text);
    }

    /** The clipboard, which a page may only read while the focus is in it. */
    async clipboard() {
        await this.it.locator(".part.statusbar").click({ position: { x: 2, y: 2 } });
        return this.it.evaluate(() => navigator.clipboard.readText());
    }

    tab(name) {
        return this.it.locator(".tabs-container .tab.active").filter({ hasText: name });
    }

    /** Wait until the editor that is shown has a name and its cursor is in some lines; returns the cursor. */
    async landed(name, first, last) {
        await this.tab(name).waitFor();
        await this.it.waitForFunction(
            ([id, first, last]) => {
                const line = Number(/\d+/.exec(document.getElementById(id)?.innerText ?? "")?.[0]);
                return first <= line && line <= last;
            },
            [CURSOR, first, last],
        );
        return this.cursor();
    }

    /** The numbers of the lines that are marked, and of all that are seen. */
    marked() {
        return this.editor().evaluate((editor) => {
            const numbers = new Map();
            for (const line of editor.querySelectorAll(".margin-view-overlays > div")) {
                const number = line.querySelector(".line-numbers")?.textContent;
                if (number) numbers.set(line.style.top, Number(number));
            }
            const marked = [...editor.querySelectorAll(".view-overlays > div")]
                .filter((line) => line.querySelector('[class*="ced-"]'))
                .map((line) => numbers.get(line.style.top));
            const sorted = (values) => [...values].filter(Boolean).sort((one, other) => one - other);
            return { marked: sorted(marked), seen: sorted(numbers.values()) };
        });
    }

    // The extension's panel

    /** The page inside of it. */
    get panel() {
        return this.it.frameLocator('iframe.webview[src*="extensionId=codecite.codecite"]').frameLocator("#active-frame");
    }

    /** What axe finds wrong with the panel as it is shown, for keyboards, screen readers and eyes; best nothing. */
    async barriers() {
        const { violations } = await this.panel.locator("html").evaluate(async (_, axe) => {
            // The panel's own policy lets no script in; what a debugger evaluates is not asked.
            (0, eval)(axe);
            // The page lets the side bar's colour through, which is not seen from inside of it.
            document.body.style.backgroundColor = "var(--vscode-sideBar-background)";
            return globalThis.axe.run(document, {
                runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
                // A row of evidence is named by its place and its state; the code in it is for reading, not a name.
                rules: { "label-content-name-mismatch": { enabled: false } },
            });
        }, AXE);
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
    }

    /** The box in which questions are typed. */
    get box() {
        return this.panel.locator("textarea");
    }

    async askInPanel(question) {
        await this.box.fill(question);
        await this.box.press("Enter");
    }

    /** The entry of a question, newest first. */
    entry(question) {
        return this.panel.locator("article.entry").filter({ has: this.panel.getByRole("heading", { name: question }) }).first();
    }

    /** Ask from the command palette; returns the entry once it is answered. */
    async ask(question) {
        await this.command("Codecite: Ask Codebase");
        await this.answer("Ask Codebase", question);
        return this.answered(question);
    }

    /** Wait for the answer to a question; returns its entry. */
    async answered(question) {
        const entry = this.entry(question);
        await entry.and(this.panel.locator('[data-status="done"]')).waitFor();
        return entry;
    }

    /** What the rows of an entry show: where, how it stands, and lines of code by their numbers. */
    evidence(entry) {
        return entry.locator("button.row").evaluateAll((rows) =>
            rows.map((row) => {
                const found = /^(.*):(\d+)(?:-(\d+))?$/.exec(row.querySelector(".place").textContent);
                const [, path, first, last = first] = found;
                const numbers = [...row.querySelectorAll(".code .line-number")].map((one) => Number(one.textContent));
                const code = [...row.querySelectorAll(".code .line")].map((one) => one.textContent);
                return {
                    n: Number(row.dataset.citation),
                    path,
                    first: Number(first),
                    last: Number(last),
                    state: row.dataset.state,
                    why: row.querySelector(".why").textContent,
                    code: numbers.map((number, i) => [number, code[i]]),
                };
            }),
        );
    }
}

export { seen };
