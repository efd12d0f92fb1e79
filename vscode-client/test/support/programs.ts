import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";

/** Programs are written as scripts of Node's, which Windows does not start by their first line. */
export const noScripts = process.platform === "win32" ? "needs programs that are scripts" : false;

/** The extension's own folder: tests are bundled into one of it. */
export const PROJECT = path.join(__dirname, "..");

/** Make a folder that is gone after the test. */
export function temporary(test: TestContext): string {
    const folder = mkdtempSync(path.join(tmpdir(), "codecite-test-"));
    test.after(() => {
        rmSync(folder, { recursive: true, force: true });
    });
    return folder;
}

/** Write a program whose body is JavaScript (CommonJS), with `args` for what it is given. */
export function program(folder: string, name: string, body: string): string {
    assert.ok(!noScripts);
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, name);
    writeFileSync(file, `#!${process.execPath}\nconst args = process.argv.slice(2);\n${body}\n`);
    chmodSync(file, 0o755);
    return file;
}

/** A server that knows its version and nothing else. */
export function fakeServer(folder: string, version: string, name = "codecite"): string {
    return program(folder, name, `if (args[0] === "--version") console.log("codecite ${version}");`);
}
