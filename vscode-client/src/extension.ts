import { commands, type ExtensionContext, window, workspace } from "vscode";
import { makeClient, ServedCodebase } from "./client";
import { registerCommands } from "./commands";
import { AnswerView } from "./panel/view";
import { oneLine } from "./server/find";
import { confirmAndInstall } from "./server/installing";
import { offerWaysOut } from "./server/offers";
import { Versions } from "./server/versions";
import { Server, type ServerEvents } from "./server/server";
import { Facts } from "./status/facts";
import { StatusItem } from "./status/item";
import { showStatus } from "./status/show";

let server: Server | undefined;

export function activate(context: ExtensionContext): void {
    const { version } = context.extension.packageJSON as { version: string };
    const storage = context.globalStorageUri.fsPath;
    const log = window.createOutputChannel("Codecite", { log: true });
    const facts = new Facts();
    const item = new StatusItem();
    const show = (): void => {
        item.show(facts);
        void commands.executeCommand("setContext", "codecite.serverRunning", facts.server.kind === "running");
        void commands.executeCommand("setContext", "codecite.indexed", facts.condition === "ready");
    };
    const events: ServerEvents = {
        trouble: (trouble) => void offerWaysOut(trouble, version),
        progress: (token, value) => {
            facts.progress(token, value);
            item.show(facts);
        },
        status: (folder) => {
            facts.told(folder);
            show();
            codebase.told(folder);
        },
    };
    const started = new Server(storage, version, log, events, new Versions(context.globalState), makeClient);
    server = started;
    const codebase = new ServedCodebase(() => started.connect());
    const answers = new AnswerView(context, codebase);

    /** Ask for the status of all folders anew: the server tells changes only. */
    const refresh = async (): Promise<void> => {
        facts.clear();
        try {
            facts.take(await codebase.status());
        } catch (error) {
            log.warn(oneLine(error));
            facts.problems = [oneLine(error)];
        }
        show();
    };

    started.onChanged((state) => {
        facts.server = state;
        if (state.kind === "running") {
            void refresh();
        } else {
            facts.clear();
        }
        show();
    });
    context.subscriptions.push(
        log,
        item,
        codebase,
        answers,
        window.registerWebviewViewProvider("codecite.answer", answers),
        ...registerCommands({
            answers,
            reindex: (full, token, onProgress) => codebase.reindex(full, token, onProgress),
            showStatus: () => showStatus(facts, version),
            showLog: () => {
                log.show();
            },
            restart: () => started.restart(),
            install: () => confirmAndInstall(storage, version, log, () => started.restart()),
        }),
        workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration("codecite.enabled") || event.affectsConfiguration("codecite.server.path")) {
                void started.restart();
            }
        }),
        workspace.onDidChangeWorkspaceFolders(() => {
            void started.adjust().then(() => (started.state.kind === "running" ? refresh() : undefined));
        }),
        workspace.onDidGrantWorkspaceTrust(() => {
            if (started.state.kind === "missing") {
                void started.restart();
            }
        }),
    );
    show();
    void started.restart();
}

/** Stop the server; the editor waits for it. */
export async function deactivate(): Promise<void> {
    await server?.dispose();
}
