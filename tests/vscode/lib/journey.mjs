/** One way through the editor, step by step, as `node --test` reports it. */

import { test } from "node:test";
import { Editor } from "./editor.mjs";

/**
 * Open an editor and go through steps in it. The first step that fails ends the journey: pictures and logs of it are
 * kept, and the steps after it are left out.
 *
 * @param {string} title
 * @param {import("./editor.mjs").Wanted & { folder: string | (() => Promise<string>) }} wanted
 * @param {(journey: { editor: Editor, page: import("./page.mjs").Page, step: (what: string, action: () => unknown) => Promise<void> }) => Promise<void>} walk
 */
export function journey(title, wanted, walk) {
    test(title, async (t) => {
        let editor;
        let failed = false;
        const step = (what, action) =>
            t.test(what, async (step) => {
                if (failed) {
                    step.skip("an earlier step failed");
                    return;
                }
                try {
                    await action();
                } catch (error) {
                    failed = true;
                    await editor?.keepEvidence();
                    throw error;
                }
            });
        t.after(() => editor?.close());
        await step("the extension installs, and the folder opens", async () => {
            editor = await Editor.open(wanted);
        });
        if (!failed) await walk({ editor, page: editor.page, step });
    });
}
