import assert from "node:assert/strict";
import path from "node:path";
import { beforeEach, type TestContext, test } from "node:test";
import type { LogOutputChannel } from "vscode";
import type { makeClient } from "../src/client";
import { Server, type ServerEvents } from "../src/server/server";
import { RestartBudget } from "../src/server/state";
import { Versions } from "../src/server/versions";
import { fakeServer, noScripts, program, temporary } from "./support/programs";
import { editor, workspace } from "./support/vscode";

beforeEach(() => {
    editor.reset();
});

/** A server whose clients only note that they were started and ended; `die` ends the connection of the last one. */
function served(t: TestContext, setting: string, refuse?: Error) {
    const noted: string[] = [];
    let die = (): void => undefined;
    const make: typeof makeClient = (_server, _cwd, _version, _log, events) => {
        die = events.closed;
        const client = {
            start: () => {
                noted.push("start");
                return refuse ? Promise.reject(refuse) : Promise.resolve();
            },
            dispose: () => {
                noted.push("end");
                return Promise.resolve();
            },
        };
        return client as unknown as ReturnType<typeof makeClient>;
    };
    const troubles: string[] = [];
    const quiet = (): void => undefined;
    const log = { info: quiet, warn: quiet, error: quiet, debug: quiet } as unknown as LogOutputChannel;
    const events: ServerEvents = { trouble: (trouble) => troubles.push(trouble.kind), progress: quiet, status: quiet };
    const versions = new Versions({ get: () => undefined, update: () => Promise.resolve() });
    const server = new Server(path.join(temporary(t), "storage"), "1.2.3", log, events, versions, make);
    const states: string[] = [];
    server.onChanged((state) => states.push(state.kind));
    editor.settings["server.path"] = setting;
    workspace.workspaceFolders = [{ uri: { scheme: "file", fsPath: "/somewhere" } }];
    return { server, noted, troubles, states, die: () => { die(); } };
}

void test("a server is started; turned off, it is stopped", { skip: noScripts }, async (t) => {
    const { server, noted, states, troubles } = served(t, fakeServer(temporary(t), "1.2.3"));
    await server.restart();
    assert.ok(await server.connect());
    editor.settings.enabled = false;
    await server.restart();
    await assert.rejects(server.connect(), /turned off/);
    assert.deepEqual(noted, ["start", "end"]);
    assert.deepEqual(states, ["starting", "running", "off"]);
    assert.deepEqual(troubles, []);
});

void test("without a folder nothing is started until one is opened", { skip: noScripts }, async (t) => {
    const { server, noted } = served(t, fakeServer(temporary(t), "1.2.3"));
    workspace.workspaceFolders = [{ uri: { scheme: "vscode-vfs" } }];
    await server.restart();
    await assert.rejects(server.connect(), /No folder is open/);
    workspace.workspaceFolders = [{ uri: { scheme: "file", fsPath: "/somewhere" } }];
    await server.adjust();
    await server.adjust();
    assert.deepEqual(noted, ["start"]);
});

void test("a server that is missing or wrong is told once, and nothing is started", { skip: noScripts }, async (t) => {
    const folder = temporary(t);
    const cases: [string, string, RegExp][] = [
        [path.join(folder, "nothing"), "wrongSetting", /codecite\.server\.path is “.*nothing”/],
        [fakeServer(folder, "2.0.0"), "otherVersion", /is version 2\.0\.0, this extension needs 1\.2\.x/],
        [program(folder, "broken", "console.error('no'); process.exit(1)"), "broken", /does not run: no/],
    ];
    for (const [setting, kind, words] of cases) {
        const { server, noted, troubles } = served(t, setting);
        await server.restart();
        await assert.rejects(server.connect(), words);
        assert.deepEqual(troubles, [kind]);
        assert.deepEqual(noted, []);
    }
});

void test("a server that refuses is told with its own words", { skip: noScripts }, async (t) => {
    const refusal = new Error("the extension is 1.2.3, the server 1.3.0; update the extension");
    const { server, troubles, noted } = served(t, fakeServer(temporary(t), "1.2.3"), refusal);
    await server.restart();
    await assert.rejects(server.connect(), /did not start: the extension is 1\.2\.3/);
    assert.deepEqual(troubles, ["failed"]);
    assert.deepEqual(noted, ["start", "end"]);
});

void test("a server that dies is started three times, then told; asked for, it is started again", { skip: noScripts }, async (t) => {
    const { server, noted, troubles, die } = served(t, fakeServer(temporary(t), "1.2.3"));
    await server.restart();
    for (let crash = 0; crash < 3; crash++) {
        die();
        assert.equal(server.state.kind, "starting");
        assert.ok(await server.connect());
    }
    die();
    await assert.rejects(server.connect(), /keeps stopping/);
    assert.deepEqual(troubles, ["failed"]);
    assert.equal(noted.filter((what) => what === "start").length, 4);
    await server.restart();
    assert.ok(await server.connect());
    die();
    assert.ok(await server.connect());
});

void test("the end of a client that was replaced is no crash", { skip: noScripts }, async (t) => {
    const { server, noted, die } = served(t, fakeServer(temporary(t), "1.2.3"));
    await server.restart();
    editor.settings.enabled = false;
    await server.restart();
    die();
    assert.equal(server.state.kind, "off");
    assert.deepEqual(noted, ["start", "end"]);
});

void test("restarts are counted within a while", () => {
    const budget = new RestartBudget(2, 1000);
    assert.deepEqual([0, 10, 20, 1005, 1006].map((now) => budget.take(now)), [true, true, false, true, false]);
    budget.renew();
    assert.ok(budget.take(1007));
});
