import {
    CancellationError,
    type CancellationToken,
    commands,
    type Disposable,
    l10n,
    ProgressLocation,
    type TextEditor,
    window,
} from "vscode";
import type { AskParams, Reindexed } from "./protocol";
import { oneLine } from "./server/find";

/** Where answers are shown. */
export interface Answers {
    ask(params: AskParams): Promise<void>;
    copyAnswer(): Promise<void>;
    clearHistory(): Promise<void>;
}

export interface Actions {
    answers: Answers;
    reindex: (full: boolean, token: CancellationToken, onProgress: (message: string) => void) => Promise<Reindexed>;
    showStatus: () => Promise<void>;
    showLog: () => void;
    restart: () => Promise<void>;
    install: () => Promise<void>;
}

/** Register the commands that package.json names. */
export function registerCommands(actions: Actions): Disposable[] {
    const { answers } = actions;
    const table: Record<string, (...args: never[]) => unknown> = {
        "codecite.askCodebase": () => askCodebase(answers),
        "codecite.askAboutSymbol": () => askAboutSymbol(answers),
        "codecite.reindexWorkspace": (options?: { full?: boolean }) => reindexWorkspace(actions, options?.full === true),
        "codecite.showStatus": actions.showStatus,
        "codecite.showLog": actions.showLog,
        "codecite.restartServer": actions.restart,
        "codecite.installServer": actions.install,
        "codecite.copyAnswer": () => answers.copyAnswer(),
        "codecite.clearHistory": () => answers.clearHistory(),
    };
    return Object.entries(table).map(([name, action]) =>
        commands.registerCommand(name, async (...args: never[]) => {
            try {
                await action(...args);
            } catch (error) {
                if (!(error instanceof CancellationError)) {
                    void window.showErrorMessage(oneLine(error));
                }
            }
        }),
    );
}

async function askCodebase(answers: Answers): Promise<void> {
    const question = await window.showInputBox({
        title: l10n.t("Ask Codebase"),
        prompt: l10n.t("Ask about the code of the open folders, in English or Chinese."),
        placeHolder: l10n.t("Where are settings validated?"),
        ignoreFocusOut: true,
    });
    if (question?.trim()) {
        await answers.ask({ question: question.trim() });
    }
}

async function askAboutSymbol(answers: Answers): Promise<void> {
    const editor = window.activeTextEditor;
    const symbol = editor && symbolAt(editor);
    if (!symbol) {
        void window.showInformationMessage(l10n.t("Put the cursor on a name, or select one, and ask again."));
        return;
    }
    const { document, selection } = editor;
    const { line, character } = selection.start;
    await answers.ask({
        question: l10n.t("What is `{0}` and where is it used?", symbol),
        uri: document.uri.toString(),
        position: { line, character },
    });
}

/** The selection where it lies on one line, else the word under the cursor. */
function symbolAt({ document, selection }: TextEditor): string | undefined {
    const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
    return range?.isSingleLine ? document.getText(range).trim().slice(0, 200) : undefined;
}

async function reindexWorkspace(actions: Actions, full: boolean): Promise<void> {
    const options = {
        location: ProgressLocation.Notification,
        title: full ? l10n.t("Codecite rebuilds the index") : l10n.t("Codecite indexes"),
        cancellable: true,
    };
    const { workspaces, problems } = await window.withProgress(options, (progress, token) =>
        actions.reindex(full, token, (message) => {
            progress.report({ message });
        }),
    );
    const files = workspaces.reduce((sum, folder) => sum + (folder.files?.indexed ?? 0), 0);
    const blocks = workspaces.reduce((sum, folder) => sum + (folder.blocks?.total ?? 0), 0);
    const result = l10n.t("The index is up to date: {0} files, {1} blocks.", files, blocks);
    if (problems.length) {
        void window.showWarningMessage(`${result} ${problems.join(" ")}`);
    } else {
        void window.showInformationMessage(result);
    }
}
