/**
 * How long from the activation of the extension to the first answer, cold and warm, and what typing costs while an index
 * is made: `node bench.mjs REPOSITORY [QUESTION] [RUNS]`, after setup.mjs. Prints a JSON document; all in milliseconds.
 *
 * The editor, its browser and the engine share this machine's cores. Compare figures of one run with each other.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Editor } from "./lib/editor.mjs";
import { CLIENT, HERE } from "./lib/places.mjs";

const [repository, question = "where is the configuration read?", runs = "5"] = process.argv.slice(2);
if (!repository) {
    console.error("usage: node bench.mjs REPOSITORY [QUESTION] [RUNS]");
    process.exit(2);
}

const home = mkdtempSync(join(tmpdir(), "cc-bench-"));
const folder = join(home, basename(resolve(repository)));
const probe = join(home, "probe.vsix");

/** Open the folder in a new VS Code, with the stores of the last one where `store` names it, and wait for the probe. */
async function measured(name, wanted, { store, user } = {}) {
    const output = join(home, `${name}.json`);
    rmSync(output, { force: true });
    const env = { PROBE: JSON.stringify(wanted), PROBE_OUTPUT: output, ...(store ? { CODECITE_HOME: store } : {}) };
    const editor = await Editor.open({ name: "bench", folder, env, user, extensions: [probe] });
    try {
        while (!existsSync(output)) await pause(100);
        const result = JSON.parse(readFileSync(output, "utf8"));
        if (result.error) throw new Error(result.error);
        return result;
    } finally {
        if (store) {
            editor.codecite("index", "--wait"); // so that the next one is warm
            editor.codecite("stop");
        }
        await editor.close();
    }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

try {
    cpSync(resolve(repository), folder, { recursive: true });
    const vsce = join(CLIENT, "node_modules", ".bin", "vsce");
    const allowed = ["--allow-missing-repository", "--allow-star-activation", "--skip-license", "--no-dependencies"];
    execFileSync(vsce, ["package", ...allowed, "--out", probe], { cwd: join(HERE, "probe"), stdio: ["ignore", "ignore", "inherit"] });

    const cold = [];
    const warm = [];
    for (let run = 0; run < Number(runs); run++) {
        const store = join(home, `store${run}`);
        cold.push(await measured("cold", { measure: "ask", question }, { store }));
        warm.push(await measured("warm", { measure: "ask", question }, { store }));
        rmSync(store, { recursive: true, force: true });
    }
    const files = readdirSync(folder, { recursive: true }).filter((file) => !/(^|[/\\])\.git([/\\]|$)/.test(file));
    const file = files.find((one) => /\.(py|ts|js|go|rs|java|c|cpp)$/.test(one));
    const typing = await measured("typing", { measure: "type", file }, { user: { "codecite.enabled": false } });
    const first = (rows) => ({ median: median(rows.map((row) => row.answered)), runs: rows });
    console.log(JSON.stringify({ files: files.length, cold: first(cold), warm: first(warm), typing }, null, 2));
} finally {
    rmSync(home, { recursive: true, force: true });
}
