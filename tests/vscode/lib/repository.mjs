/** Repositories to open: real ones, in temporary folders. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { TOP } from "./places.mjs";

/**
 * Clone this very repository into a temporary folder, which is taken away after the tests. These tests are not part of
 * it: the best evidence for their questions would be the questions.
 */
export function clone() {
    const folder = mkdtempSync(join(tmpdir(), "cc-repository-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const target = join(folder, "codecite");
    const git = (...args) => execFileSync("git", ["-C", folder, ...args]);
    git("clone", "--quiet", "--depth", "1", `file://${TOP}`, target);
    git("-C", target, "checkout", "--quiet", "-B", "main");
    git("-C", target, "rm", "-r", "--quiet", "tests/vscode");
    return target;
}

/** The lines of a file, without their ends. */
export async function lines(folder, path) {
    return (await readFile(join(folder, path), "utf8")).split(/\r\n|\n|\r/);
}
