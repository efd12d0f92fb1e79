/** Repositories to open: real ones, in temporary folders. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { TOP } from "./places.mjs";

/** Make a temporary folder, which is taken away after the tests. */
export function temporary(name) {
    const folder = mkdtempSync(join(tmpdir(), `cc-${name}-`));
    after(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
}

/**
 * Clone this very repository. These tests are not part of it: the best evidence for their questions would be the
 * questions.
 */
export function clone() {
    const target = join(temporary("repository"), "codecite");
    execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${TOP}`, target]);
    const git = (...args) => execFileSync("git", ["-C", target, ...args]);
    git("checkout", "--quiet", "-B", "main");
    git("rm", "-r", "--quiet", "tests/vscode");
    return target;
}

/** Make a repository of one function. */
export function small() {
    const folder = temporary("small");
    execFileSync("git", ["init", "--quiet", folder]);
    writeFileSync(join(folder, "rocket.py"), "def launch_rocket(place):\n    return place\n");
    return folder;
}

/** The lines of a file, without their ends. */
export async function lines(folder, path) {
    return (await readFile(join(folder, path), "utf8")).split(/\r\n|\n|\r/);
}
