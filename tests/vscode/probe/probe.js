/**
 * Measures from within the extension host, and writes what it found to the file that PROBE_OUTPUT names:
 * - `ask`: milliseconds from the activation of codecite to its first answer;
 * - `type`: milliseconds of single edits of a document, and the delay of the event loop meanwhile, first without an
 *   index being made, then while one is.
 */

const { renameSync, writeFileSync } = require("node:fs");
const { monitorEventLoopDelay } = require("node:perf_hooks");
const { setTimeout: pause } = require("node:timers/promises");
const vscode = require("vscode");

const EDITS = 300;

exports.activate = async () => {
    const wanted = JSON.parse(process.env.PROBE);
    try {
        write(wanted.measure === "ask" ? await firstAnswer(wanted) : await typing(wanted));
    } catch (error) {
        write({ error: String(error.stack) });
    }
};

function write(result) {
    const output = process.env.PROBE_OUTPUT;
    writeFileSync(`${output}.part`, JSON.stringify(result));
    renameSync(`${output}.part`, output); // whoever waits for it finds it whole
}

async function firstAnswer({ question }) {
    const began = await activation();
    await served();
    const ready = performance.now();
    const answer = await vscode.commands.executeCommand("codecite.ask", { question });
    const answered = performance.now();
    return {
        served: ready - began,
        answered: answered - began,
        citations: answer.citations.map((one) => `${one.path}:${one.start_line}`),
        degraded: answer.degraded,
    };
}

/** Wait until VS Code activates codecite, as it does by itself; return when that was. */
async function activation() {
    while (!vscode.extensions.getExtension("codecite.codecite").isActive) await pause(5);
    return performance.now();
}

/** The language client registers the server's commands once it has said which it has. */
async function served() {
    while (!(await vscode.commands.getCommands(true)).includes("codecite.ask")) await pause(10);
}

async function typing({ file }) {
    const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, file);
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    await edits(editor); // both measured ones find everything loaded
    const without = await edits(editor);
    await vscode.workspace.getConfiguration("codecite").update("enabled", true, vscode.ConfigurationTarget.Global);
    await served();
    const during = await edits(editor);
    const status = await vscode.commands.executeCommand("codecite.status", {});
    return { without, during, state: status.state };
}

async function edits(editor) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const took = [];
    for (let i = 0; i < EDITS; i++) {
        const began = performance.now();
        await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "x"));
        took.push(performance.now() - began);
        await pause(5);
    }
    delay.disable();
    took.sort((a, b) => a - b);
    const at = (share) => took[Math.floor(share * (EDITS - 1))];
    return { p50: at(0.5), p95: at(0.95), loop: { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6 } };
}
