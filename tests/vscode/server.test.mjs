/** Where the server comes from: missing and installed on one yes; and never what an untrusted folder names. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { journey } from "./lib/journey.mjs";
import { CODECITE, TOP } from "./lib/places.mjs";
import { small, temporary } from "./lib/repository.mjs";

const QUESTION = "where is launch_rocket?";

async function findsTheRocket(page) {
    const [first] = await page.evidence(await page.ask(QUESTION));
    assert.deepEqual([first.path, first.first, first.last], ["rocket.py", 1, 2]);
}

// The wheel of this very tree; what it needs comes from the package index that pip is configured for.
const wheels = temporary("wheels");
const python = join(dirname(CODECITE), "python");
execFileSync(python, ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, TOP]);

/** A folder for PATH in which there is a Python and no codecite. */
function aPython() {
    const folder = temporary("bin");
    const base = execFileSync(python, ["-c", "import sys; print(sys._base_executable)"], { encoding: "utf8" }).trim();
    symlinkSync(base, join(folder, "python3"));
    return folder;
}

const missing = {
    name: "missing",
    folder: small(),
    path: [aPython()],
    env: { PIP_FIND_LINKS: [process.env.PIP_FIND_LINKS, wheels].filter(Boolean).join(" ") },
};

journey("without a server", missing, async ({ page, step }) => {
    const message = "The Codecite server is not installed.";

    await step("one message says so, with the ways out", async () => {
        await page.notification(message).waitFor();
        await page.status.and(page.it.locator('[aria-label*="not installed"]')).waitFor();
        await page.picture("missing");
        assert.deepEqual(await page.notifications(), [message]);
    });

    await step("Show How opens the walkthrough", async () => {
        await page.notification(message).getByRole("button", { name: "Show How" }).click();
        await page.it.getByText("Get Started with Codecite").first().waitFor();
        await page.picture("walkthrough");
    });

    await step("Install asks once, and says what it will do", async () => {
        await page.command("Codecite: Install Server");
        const dialog = page.it.locator(".monaco-dialog-box").filter({ hasText: "Install the Codecite server?" });
        await dialog.getByText("from the package index that you have configured").waitFor();
        await page.picture("install");
        await dialog.getByRole("button", { name: "Install" }).click();
    });

    await step("the server is installed, and answers", async () => {
        await page.notification("Installing the Codecite server").waitFor();
        await page.status.and(page.it.locator('[aria-label*="ready"]')).waitFor({ timeout: 400_000 });
        await findsTheRocket(page);
    });
});

const chosen = { name: "chosen", folder: small(), path: [] };

journey("with a server that is chosen", chosen, async ({ page, step }) => {
    await step("Choose… lets a program be picked, which then answers", async () => {
        await page.notification("The Codecite server is not installed.").getByRole("button", { name: "Choose" }).click();
        await page.row("rocket.py").waitFor(); // the dialog shows the folder, and takes what is typed from then on
        await page.quickInput.locator("input").first().fill(CODECITE);
        await page.row("codecite").first().waitFor();
        await page.picture("choose");
        await page.quickInput.getByRole("button", { name: "Choose" }).first().click();
        await page.status.and(page.it.locator('[aria-label*="ready"]')).waitFor();
        await findsTheRocket(page);
    });
});

/** A folder that wants its own program run: by its settings, and by the name on a PATH that has the folder in it. */
async function hostile() {
    const folder = small();
    const script = `#!/bin/sh\ntouch '${join(folder, "ran")}'\nexit 1\n`;
    await mkdir(join(folder, ".vscode"));
    await mkdir(join(folder, "bin"));
    for (const name of ["evil", "bin/codecite"]) {
        await writeFile(join(folder, name), script);
        await chmod(join(folder, name), 0o755);
    }
    await writeFile(
        join(folder, ".vscode", "settings.json"),
        JSON.stringify({ "codecite.server.path": join(folder, "evil"), "codecite.ask.maxCitations": 1 }),
    );
    return folder;
}

const folder = await hostile();
const untrusted = {
    name: "untrusted",
    folder,
    path: [join(folder, "bin"), dirname(CODECITE)],
    trusted: false,
    user: { "workbench.colorTheme": "Dark Modern" },
};

journey("in a folder that is not trusted", untrusted, async ({ page, step }) => {
    await step("the folder is in restricted mode", async () => {
        await page.it.locator(".statusbar-item").filter({ hasText: "Restricted Mode" }).waitFor();
    });

    await step("the user's own server answers, in the colours of a dark theme", async () => {
        await page.it.locator(".monaco-workbench.vs-dark").waitFor();
        await page.status.and(page.it.locator('[aria-label*="ready"]')).waitFor();
        await findsTheRocket(page);
        await page.picture("untrusted");
        assert.deepEqual(await page.barriers(), []);
    });

    await step("no program of the folder has run", () => {
        assert.ok(!existsSync(join(folder, "ran")));
    });
});
