/** A real VS Code with folders of its own, and the page of a real browser in which it is used. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { chromium as browsers } from "playwright-core";
import { chromium, CODE_SERVER, CODECITE, NODE, OUTPUT, VSIX } from "./places.mjs";
import { Page } from "./page.mjs";

/** Milliseconds. Only a failing test waits so long. */
export const PATIENCE = 90_000;

const BROWSER = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/** Settings that keep the editor quiet, and pictures the same from run to run. */
const QUIET = {
    // In a browser VS Code saves by itself after a second; here, what is not saved is part of what is tested.
    "files.autoSave": "off",
    "chat.commandCenter.enabled": false,
    "chat.disableAIFeatures": true,
    "editor.cursorBlinking": "solid",
    "editor.minimap.enabled": false,
    "extensions.ignoreRecommendations": true,
    "git.blame.statusBarItem.enabled": false,
    "git.openRepositoryInParentFolders": "never",
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "window.commandCenter": false,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    // An editor that takes the focus a moment late would close the list that the next step writes into.
    "workbench.quickOpen.closeOnFocusLost": false,
    "workbench.reduceMotion": "on",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
};

/**
 * @typedef {object} Wanted
 * @property {string} name what the journey is called: names the folder of its pictures and logs
 * @property {string} folder the workspace
 * @property {Record<string, unknown>} [user] more settings of the user
 * @property {Record<string, unknown>} [machine] settings that may only be set for this machine
 * @property {string[]} [path] folders in front of the system's PATH; those of the tested server where it is left out
 * @property {Record<string, string>} [env] more environment
 * @property {boolean} [trusted] false: VS Code's question of trust is alive, and not answered
 * @property {string} [locale]
 * @property {string[]} [extensions] packages to install beside the one that is tested
 */
export class Editor {
    #wanted;
    #server;
    #browser;
    /** Everything that this editor and its engine write is in this folder. */
    home;
    /** @type {Page} */
    page;
    env;

    /** @param {Wanted} wanted */
    constructor(wanted) {
        this.#wanted = wanted;
    }

    /** Install the extension into an empty VS Code; the engine has a home of its own. @param {Wanted} wanted */
    static async install(wanted) {
        const editor = new Editor(wanted);
        editor.home = await mkdtemp(join(tmpdir(), "cc-"));
        try {
            await editor.#prepare();
        } catch (error) {
            await editor.close();
            throw error;
        }
        return editor;
    }

    /** Install the extension, start the editor and open the workspace. @param {Wanted} wanted */
    static async open(wanted) {
        const editor = await Editor.install(wanted);
        try {
            await editor.start();
        } catch (error) {
            await editor.close();
            throw error;
        }
        return editor;
    }

    async #prepare() {
        for (const folder of ["run", "config", "store", "data/User", "data/Machine", "extensions", "tmp"]) {
            await mkdir(join(this.home, folder), { recursive: true, mode: 0o700 });
        }
        this.env = this.#environment();
        await this.settings(this.#wanted.user ?? {}, this.#wanted.machine ?? {});
        await rm(this.output, { recursive: true, force: true });
        await mkdir(this.output, { recursive: true });
        const packages = [VSIX, ...(this.#wanted.extensions ?? [])].flatMap((one) => ["--install-extension", one]);
        const said = spawnSync(NODE, [...this.#command(), ...packages], { env: this.env, encoding: "utf8" });
        if (said.status !== 0) throw new Error(`the extension cannot be installed: ${said.stdout}${said.stderr}`);
    }

    async start() {
        const trust = this.#wanted.trusted === false ? [] : ["--disable-workspace-trust"];
        const locale = this.#wanted.locale ? ["--locale", this.#wanted.locale] : [];
        const flags = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
        this.#server = spawn(
            NODE,
            [...this.#command(), ...flags, "--disable-getting-started-override", ...trust, ...locale],
            // A group of its own, so that all of it can be ended, and nothing else.
            { env: this.env, cwd: this.home, detached: true, stdio: ["ignore", "pipe", "pipe"] },
        );
        const log = createWriteStream(join(this.output, "server.log"));
        this.#server.stdout.pipe(log);
        this.#server.stderr.pipe(log);
        const address = await this.#address();
        this.#browser = await browsers.launch({ executablePath: chromium(), args: BROWSER });
        const context = await this.#browser.newContext({
            viewport: { width: 1280, height: 800 },
            permissions: ["clipboard-read", "clipboard-write"],
        });
        context.setDefaultTimeout(PATIENCE);
        this.page = new Page(await context.newPage(), this.output);
        await this.page.open(`${address}?folder=${encodeURIComponent(this.#wanted.folder)}`);
    }

    /** Write the settings of the user and of the machine; an editor that runs takes them over. */
    async settings(user, machine = {}) {
        const write = (of, values) => writeFile(join(this.home, "data", of, "settings.json"), JSON.stringify(values));
        await write("User", { ...QUIET, ...user });
        await write("Machine", machine);
    }

    /** Run `codecite` as the editor does, with the same engine; returns what it printed. */
    codecite(...args) {
        const { stdout, stderr, status } = spawnSync(CODECITE, args, {
            env: this.env,
            cwd: this.#wanted.folder,
            encoding: "utf8",
        });
        if (status !== 0) throw new Error(`codecite ${args.join(" ")}: ${stderr}`);
        return stdout;
    }

    /** Where pictures and logs of this journey are kept. */
    get output() {
        return join(OUTPUT, this.#wanted.name);
    }

    /** Keep what is needed to understand a failure. */
    async keepEvidence() {
        await this.page?.picture("failed").catch((error) => console.error(String(error)));
        const logs = join(this.home, "data", "logs");
        if (existsSync(logs)) await cp(logs, join(this.output, "logs"), { recursive: true });
    }

    /** End the browser, the editor and the engine, and take their folder away. */
    async close() {
        await this.#browser?.close();
        if (this.#server && this.#server.exitCode === null) {
            const gone = once(this.#server, "exit");
            process.kill(-this.#server.pid, "SIGTERM");
            await gone;
        }
        if (existsSync(join(this.home, "store", "workspaces"))) this.codecite("stop");
        await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
    }

    #command() {
        const dirs = ["--user-data-dir", join(this.home, "data"), "--extensions-dir", join(this.home, "extensions")];
        return [CODE_SERVER, ...dirs, "--config", join(this.home, "config", "code-server.yaml")];
    }

    #environment() {
        const { path = [dirname(CODECITE)], env = {} } = this.#wanted;
        const kept = ["LANG", "TERM", "TZ"].concat(Object.keys(process.env).filter((name) => /^PIP_|_proxy$/i.test(name)));
        return {
            ...Object.fromEntries(kept.filter((name) => process.env[name]).map((name) => [name, process.env[name]])),
            HOME: this.home,
            PATH: [dirname(NODE), ...path, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
            TMPDIR: join(this.home, "tmp"),
            CODECITE_HOME: join(this.home, "store"),
            XDG_RUNTIME_DIR: join(this.home, "run"),
            XDG_CONFIG_HOME: join(this.home, "config"),
            // Without this VS Code would ask a login shell for the environment, which on Debian sets PATH anew.
            VSCODE_CLI: "1",
            ...env,
        };
    }

    /** Wait until the server says where it listens: the system picked a free port. */
    async #address() {
        const lines = createInterface({ input: this.#server.stdout });
        const wanted = (async () => {
            for await (const line of lines) {
                const found = /server listening on (http:\S+)/.exec(line);
                if (found) return found[1];
            }
            throw new Error(`VS Code did not start: see ${join(this.output, "server.log")}`);
        })();
        const address = await wanted;
        lines.close();
        this.#server.stdout.resume();
        return address;
    }
}
