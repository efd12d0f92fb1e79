import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Finding, findServer, onPath, privateEnvironment, sameMinor, stampOf, type Surroundings, versionOf } from "../src/server/find";
import { Versions } from "../src/server/versions";
import { fakeServer, noScripts, program, temporary } from "./support/programs";

const around = (storage: string, more: Partial<Surroundings> & { PATH?: string }): Surroundings => ({
    setting: "",
    env: { PATH: more.PATH ?? "" },
    platform: process.platform,
    distrusted: [],
    storage,
    version: "1.2.3",
    ...more,
});
const find = async (surroundings: Surroundings): Promise<[Finding, string[]]> => {
    const passed: string[] = [];
    return [await findServer(surroundings, (finding) => passed.push(finding.kind)), passed];
};
const installed = (storage: string, version: string, stamp = version): string => {
    const environment = privateEnvironment(storage, version);
    const executable = fakeServer(path.join(environment, "bin"), version);
    writeFileSync(stampOf(environment), stamp);
    return executable;
};

void test("the setting wins over PATH, and PATH over the private environment", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const PATH = path.join(folder, "on-path");
    const privately = installed(folder, "1.2.3");
    const onIt = fakeServer(PATH, "1.2.0");
    const named = fakeServer(path.join(folder, "named"), "1.2.9", "other");
    const cases: [Partial<Surroundings> & { PATH?: string }, string, string][] = [
        [{ PATH, setting: named }, named, "setting"],
        [{ PATH: path.dirname(named), setting: "other" }, named, "setting"],
        [{ PATH }, onIt, "path"],
        [{}, privately, "private"],
    ];
    for (const [more, executable, origin] of cases) {
        const [finding] = await find(around(folder, more));
        assert.equal(finding.kind, "found");
        assert.equal(finding.server.executable, executable);
        assert.equal(finding.server.origin, origin);
    }
});

void test("a wrong setting is said, whatever else there is", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const PATH = path.join(folder, "on-path");
    fakeServer(PATH, "1.2.3");
    for (const setting of [path.join(folder, "not-there"), folder, "not-there", "on-path/codecite", "./codecite"]) {
        const [finding] = await find(around(folder, { PATH, setting }));
        assert.deepEqual(finding, { kind: "wrongSetting", value: setting });
    }
});

void test("a server of another version is passed over for one that fits, else it is told", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const PATH = path.join(folder, "on-path");
    const other = fakeServer(PATH, "2.0.0");
    const [told, passed] = await find(around(folder, { PATH }));
    assert.deepEqual(told, { kind: "otherVersion", server: { executable: other, origin: "path", version: "2.0.0" } });
    assert.deepEqual(passed, ["otherVersion"]);
    const fitting = installed(folder, "1.2.3");
    const [found, passedOver] = await find(around(folder, { PATH }));
    assert.equal(found.kind === "found" && found.server.executable, fitting);
    assert.deepEqual(passedOver, ["otherVersion"]);
});

void test("a server that does not run is told with its last word", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const cases: [string, RegExp][] = [
        ["console.error('a traceback'); console.error('ModuleNotFoundError: chromadb'); process.exit(1)", /^ModuleNotFound/],
        ["process.exit(3)", /exit code 3/],
        ["console.log('something else 1.2.3')", /something else/],
        ["setInterval(() => {}, 1000)", /timeout/i],
    ];
    for (const [body, reason] of cases) {
        const setting = program(folder, "server", body);
        const finding = await findServer(around(folder, { setting }), () => undefined, (file, cwd) =>
            versionOf(file, cwd, 1000),
        );
        assert.equal(finding.kind, "broken");
        assert.match(finding.reason, reason);
    }
});

void test("without a stamp of its version a private environment does not count", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    installed(folder, "1.2.3", "1.2.2");
    assert.deepEqual(await find(around(folder, {})), [{ kind: "missing" }, []]);
});

void test("PATH: relative entries and distrusted folders are passed over", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const workspace = path.join(folder, "workspace");
    const inside = fakeServer(path.join(workspace, "bin"), "1.2.3");
    const outside = fakeServer(path.join(folder, "workspace-tools"), "1.2.3");
    const relative = path.relative(process.cwd(), path.dirname(outside));
    const PATH = [relative, "", path.dirname(inside), path.dirname(outside)].join(path.delimiter);
    const looked = (distrusted: string[]) =>
        onPath("codecite", { env: { PATH }, platform: process.platform, distrusted });
    assert.equal(await looked([]), inside);
    assert.equal(await looked([workspace]), outside);
});

void test("PATH on Windows: the key in any case, quoted entries, and only what starts without a shell", async (t) => {
    const folder = temporary(t);
    const names = ["codecite", "codecite.cmd", "codecite.EXE"];
    const bin = path.join(folder, "a b");
    mkdirSync(bin);
    for (const name of names) {
        writeFileSync(path.join(bin, name), "");
    }
    const env = { Path: `;"${bin}"`, PATHEXT: ".BAT;.CMD;.EXE" };
    const found = await onPath("codecite", { env, platform: "win32", distrusted: [] });
    assert.equal(found, path.join(bin, "codecite.EXE"));
});

void test("major and minor decide whether two versions fit", () => {
    const cases: [string, string, boolean][] = [
        ["1.2.3", "1.2.9", true],
        ["1.2.3", "1.2.0rc1", true],
        ["1.2.3", "1.20.3", false],
        ["1.2.3", "2.2.3", false],
        ["1.2.3", "", false],
        ["", "", false],
    ];
    for (const [one, other, fits] of cases) {
        assert.equal(sameMinor(one, other), fits, `${one} and ${other}`);
    }
});

void test("a program is asked for its version once, and again when its file is another or it broke its word", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const kept = new Map<string, unknown>();
    const versions = new Versions({
        get: (key) => kept.get(key),
        update: (key, value) => Promise.resolve(void kept.set(key, value)),
    });
    const count = path.join(folder, "count");
    const server = (version: string): string =>
        program(folder, "codecite", `require("node:fs").appendFileSync(${JSON.stringify(count)}, "x"); console.log("codecite ${version}")`);
    const asked = (): number => readFileSync(count, "utf8").length;

    const executable = server("1.2.3");
    assert.equal(await versions.of(executable, folder, 10_000), "1.2.3");
    assert.equal(await versions.of(executable, folder, 10_000), "1.2.3");
    assert.equal(asked(), 1);
    server("1.10.3"); // another size, so whatever the clock's grain is
    assert.equal(await versions.of(executable, folder, 10_000), "1.10.3");
    assert.equal(asked(), 2);
    await versions.forget(executable);
    assert.equal(await versions.of(executable, folder, 10_000), "1.10.3");
    assert.equal(asked(), 3);
    rmSync(executable);
    await assert.rejects(versions.of(executable, folder, 10_000));
});
