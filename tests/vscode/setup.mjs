/**
 * Bring what these tests need into folders that git ignores: the real VS Code (code-server), a Node that runs it, a
 * driver for the browser, and the extension as a package. What is there already is left as it is.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { CLIENT, HERE, NODE, VSCODE, VSIX } from "./lib/places.mjs";

const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

/** npm modules with native code are compiled for the Node that runs the editor. */
function withItsNode() {
    return { ...process.env, PATH: dirname(NODE) + delimiter + process.env.PATH };
}

function run(what, command, args, options) {
    console.log(`-- ${what}`);
    const { status, error } = spawnSync(command, args, { stdio: "inherit", shell: process.platform === "win32", ...options });
    if (status !== 0) {
        console.error(`${what}: \`${command} ${args.join(" ")}\` failed${error ? `: ${error.message}` : ""}.`);
        process.exit(3);
    }
}

/** Do something unless it was done for the same content of a file before. */
function once(folder, file, action) {
    const stamp = join(folder, "node_modules", ".codecite-tests");
    const wanted = createHash("sha256").update(readFileSync(join(folder, file))).digest("hex");
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
    action();
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, wanted);
}

once(HERE, "package-lock.json", () => {
    run("VS Code and the browser's driver", "npm", ["ci", "--ignore-scripts", ...QUIET], { cwd: HERE });
});
once(VSCODE, "npm-shrinkwrap.json", () => {
    const options = { cwd: VSCODE, env: withItsNode() };
    run("what VS Code is made of", "npm", ["install", "--omit=dev", "--ignore-scripts", ...QUIET], options);
    // Its only native module that the tests cannot do without: it writes the logs.
    const headers = join(dirname(NODE), "..");
    const found = existsSync(join(headers, "include", "node")) ? [`--nodedir=${headers}`] : [];
    run("its log writer", "npm", ["rebuild", "@vscode/spdlog", ...found, ...QUIET], options);
});
// Needs a TypeScript that is not there, and would say so in every picture.
rmSync(join(VSCODE, "extensions", "typescript-language-features"), { recursive: true, force: true });
once(CLIENT, "package-lock.json", () => {
    run("what the extension is built with", "npm", ["ci", ...QUIET], { cwd: CLIENT });
});
run("the extension, as a package", "npm", ["run", "package", "--silent"], { cwd: CLIENT });
if (!existsSync(VSIX)) throw new Error(`${VSIX} was not made`);
