import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { findServer, privateEnvironment, stampOf } from "../src/server/find";
import { chooseTool, failureOf, type Installation, InstallError, installServer, type Place } from "../src/server/install";
import { run } from "../src/server/run";
import { fakeServer, noScripts, program, temporary } from "./support/programs";

const place = (storage: string, PATH: string, more: NodeJS.ProcessEnv = {}): Place => ({
    storage,
    version: "1.2.3",
    env: { ...process.env, PATH, ...more },
    platform: process.platform,
    onLine: () => undefined,
});
const work = (where: Place, more: Partial<Installation> = {}): Installation => ({
    ...where,
    signal: new AbortController().signal,
    onStep: () => undefined,
    ...more,
});

/** What uv does here: an environment with a Python in it, and into that the server. */
const UV = `
const fs = require("node:fs"), path = require("node:path");
fs.appendFileSync(path.join(process.cwd(), "calls"), JSON.stringify(args) + "\\n");
const write = (file, text) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text, { mode: 0o755 }); };
if (args[0] === "venv") write(path.join(args.at(-1), "bin", "python"), "");
else write(path.join(path.dirname(args[3]), "codecite"), "#!" + process.execPath + "\\nconsole.log('codecite 1.2.3')");
`;

void test("uv makes the environment; the stamp comes last, other versions go", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const bin = path.join(folder, "bin");
    const uv = program(bin, "uv", UV);
    fakeServer(path.join(privateEnvironment(folder, "1.1.0"), "bin"), "1.1.0");
    const where = place(folder, bin);
    const tool = await chooseTool(where);
    assert.deepEqual(tool, { kind: "uv", executable: uv });
    const steps: string[] = [];
    await installServer(tool, work(where, { onStep: (step) => steps.push(step) }));
    assert.deepEqual(steps, ["environment", "packages", "check"]);
    const environment = privateEnvironment(folder, "1.2.3");
    const calls = readFileSync(path.join(folder, "calls"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as string[]);
    assert.deepEqual(calls, [
        ["venv", "--python", ">=3.11", environment],
        ["pip", "install", "--python", path.join(environment, "bin", "python"), "codecite==1.2.3"],
    ]);
    assert.ok(!existsSync(privateEnvironment(folder, "1.1.0")));
    const found = await findServer({ ...where, setting: "", distrusted: [], env: {} }, () => undefined);
    assert.equal(found.kind === "found" && found.server.origin, "private");
});

void test("one window installs at a time; a lock whose window is gone holds nobody up", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const lock = path.join(folder, "installing");
    const tool = { kind: "uv", executable: program(folder, "uv", UV) } as const;
    writeFileSync(lock, String(process.pid));
    await assert.rejects(installServer(tool, work(place(folder, ""))), { kind: "busy" });
    assert.ok(!existsSync(path.join(folder, "calls")) && existsSync(lock));
    for (const left of [String(await endedProcess()), ""]) {
        writeFileSync(lock, left);
        await installServer(tool, work(place(folder, "")));
        assert.ok(!existsSync(lock));
    }
});

/** The number of a process that is gone. */
async function endedProcess(): Promise<number> {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    assert.ok(child.pid);
    return child.pid;
}

void test("a failure leaves nothing, keeps the server that there was, and has its kind", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const bin = path.join(folder, "bin");
    fakeServer(path.join(privateEnvironment(folder, "1.1.0"), "bin"), "1.1.0");
    const cases: [string, string][] = [
        ["error: Failed to fetch: x\\n  Caused by: error sending request for url\\n  Caused by: dns error", "offline"],
        ["error: Because there is no version of codecite==1.2.3 and you require codecite==1.2.3, nothing fits.", "noVersion"],
        ["error: No space left on device (os error 28)", "other"],
    ];
    for (const [says, kind] of cases) {
        const uv = program(bin, "uv", `${UV} if (args[0] === "pip") { console.error("${says}"); process.exit(1); }`);
        await assert.rejects(installServer({ kind: "uv", executable: uv }, work(place(folder, bin))), (error) => {
            assert.ok(error instanceof InstallError);
            assert.equal(error.kind, kind);
            assert.ok(error.message && !error.message.includes("\n"));
            return true;
        });
        assert.ok(!existsSync(privateEnvironment(folder, "1.2.3")));
        assert.ok(existsSync(privateEnvironment(folder, "1.1.0")));
    }
});

void test("a server that was installed and does not run does not count", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const broken = UV.replace("console.log('codecite 1.2.3')", "console.log('Illegal instruction'); process.exit(1)");
    const uv = program(path.join(folder, "bin"), "uv", broken);
    const done = installServer({ kind: "uv", executable: uv }, work(place(folder, "")));
    await assert.rejects(done, { kind: "other", message: "Illegal instruction" });
    assert.ok(!existsSync(privateEnvironment(folder, "1.2.3")));
});

void test("cancelling ends the tool with what it started, and removes what was made", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    // The child holds the tool's output: `run` ends only when both are gone.
    const child = "console.log('child runs'); setInterval(() => {}, 1000)";
    const uv = program(
        path.join(folder, "bin"),
        "uv",
        `${UV} if (args[0] === "pip") require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" });`,
    );
    const cancel = new AbortController();
    const onLine = (line: string): void => {
        if (line === "child runs") {
            cancel.abort();
        }
    };
    const done = installServer({ kind: "uv", executable: uv }, work(place(folder, ""), { signal: cancel.signal, onLine }));
    await assert.rejects(done, { name: "AbortError" });
    assert.ok(!existsSync(privateEnvironment(folder, "1.2.3")));
});

void test("without uv the first Python that is new enough is taken", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const bin = (name: string): string => path.join(folder, name);
    const python = (where: string, name: string, version: string): string =>
        program(where, name, `if (args[0] === "-c") console.log("${version}")`);
    python(bin("old"), "python3", "3.10.14");
    assert.equal(await chooseTool(place(folder, bin("old"))), undefined);
    const executable = python(bin("old"), "python3.12", "3.12.1");
    assert.deepEqual(await chooseTool(place(folder, bin("old"))), { kind: "python", executable, args: [], version: "3.12.1" });
    program(bin("store"), "python", "process.exit(9009)"); // the name that Windows' shop holds
    assert.equal(await chooseTool(place(folder, bin("store"))), undefined);
    assert.equal(await chooseTool(place(folder, "")), undefined);
});

const WHEEL = `
import sys, zipfile
info = "codecite-1.2.3.dist-info/"
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("codecite.py", "def run(): print('codecite 1.2.3')")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: codecite\\nVersion: 1.2.3\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "entry_points.txt", "[console_scripts]\\ncodecite = codecite:run\\n")
    wheel.writestr(info + "RECORD", "")
`;

void test("a real Python installs what the user's own settings of pip point at", async (t) => {
    const folder = temporary(t);
    const storage = path.join(folder, "storage");
    const wheels = path.join(folder, "wheels");
    const from = (links: string): Place =>
        place(storage, process.env.PATH ?? "", { PIP_NO_INDEX: "1", PIP_FIND_LINKS: links, UV_NO_INDEX: "1", UV_FIND_LINKS: links });
    const where = from(wheels);
    const tool = await chooseTool(where);
    if (!tool) {
        t.skip("there is no Python");
        return;
    }
    mkdirSync(wheels);
    const made = spawnSync("python3", ["-c", WHEEL, path.join(wheels, "codecite-1.2.3-py3-none-any.whl")], { encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    await installServer(tool, work(where));
    assert.equal(readFileSync(stampOf(privateEnvironment(storage, "1.2.3")), "utf8"), "1.2.3\n");
    const empty = path.join(folder, "empty");
    mkdirSync(empty);
    await assert.rejects(installServer(tool, work(from(empty))), { kind: "noVersion" });
});

void test("what pip and uv print tells offline from no such version", () => {
    const cases: [string, string][] = [
        [
            "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError('<...>: Failed to establish a new connection: [Errno -2]')'\nERROR: Could not find a version that satisfies the requirement codecite==1.2.3 (from versions: none)\nERROR: No matching distribution found for codecite==1.2.3",
            "offline",
        ],
        ["ERROR: No matching distribution found for codecite==1.2.3", "noVersion"],
        ["ERROR: No matching distribution found for chromadb<2", "other"],
        ["error: Could not connect, are you offline?\n  Caused by: tcp connect error: Connection refused", "offline"],
        ["  ╰─▶ Because codecite was not found in the package registry and you require codecite==1.2.3", "noVersion"],
        ["", "other"],
    ];
    for (const [output, kind] of cases) {
        assert.equal(failureOf(output), kind, output);
    }
});

void test("a program that is not there is an error", async (t) => {
    const folder = temporary(t);
    await assert.rejects(run(path.join(folder, "nothing"), [], { cwd: folder }), { code: "ENOENT" });
});
