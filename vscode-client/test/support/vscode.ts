/** The little of the editor's interface that the tested modules use. `editor` is what tests set and look at. */

type Listener<T> = (event: T) => unknown;

export class EventEmitter<T> {
    readonly #listeners = new Set<Listener<T>>();
    readonly event = (listener: Listener<T>): { dispose(): void } => {
        this.#listeners.add(listener);
        return { dispose: () => this.#listeners.delete(listener) };
    };

    fire(event: T): void {
        [...this.#listeners].forEach((listener) => listener(event));
    }

    dispose(): void {
        this.#listeners.clear();
    }
}

export class CancellationError extends Error {}

interface Shown {
    kind: "error" | "warning" | "information";
    text: string;
    actions: unknown[];
}

export const editor = {
    settings: {} as Record<string, unknown>,
    shown: [] as Shown[],
    /** What the user picks or types next; undefined is Escape. */
    answer: undefined as unknown,
    commands: new Map<string, (...args: unknown[]) => unknown>(),
    executed: [] as unknown[][],
    progress: [] as string[],
    reset(): void {
        Object.assign(editor, { settings: {}, shown: [], answer: undefined, executed: [], progress: [] });
        editor.commands.clear();
        window.activeTextEditor = undefined;
        workspace.workspaceFolders = undefined;
        workspace.isTrusted = true;
    },
};

const message =
    (kind: Shown["kind"]) =>
    (text: string, ...actions: unknown[]): Promise<unknown> => {
        editor.shown.push({ kind, text, actions });
        return Promise.resolve(actions.find((action) => (action as { title?: string }).title === editor.answer || action === editor.answer));
    };

export const window = {
    activeTextEditor: undefined as unknown,
    showErrorMessage: message("error"),
    showWarningMessage: message("warning"),
    showInformationMessage: message("information"),
    showInputBox: (): Promise<unknown> => Promise.resolve(editor.answer),
    withProgress: (
        _options: unknown,
        task: (progress: { report(value: { message?: string }): void }, token: unknown) => Promise<unknown>,
    ): Promise<unknown> =>
        task(
            { report: ({ message: text }) => editor.progress.push(text ?? "") },
            { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) },
        ),
};

export const workspace = {
    workspaceFolders: undefined as unknown,
    isTrusted: true,
    getConfiguration: () => ({ get: (key: string, otherwise: unknown) => editor.settings[key] ?? otherwise }),
};

export const commands = {
    registerCommand: (name: string, action: (...args: unknown[]) => unknown) => {
        editor.commands.set(name, action);
        return { dispose: () => editor.commands.delete(name) };
    },
    executeCommand: (...args: unknown[]): Promise<unknown> => Promise.resolve(editor.executed.push(args)),
};

export const l10n = {
    t: (text: string, ...values: unknown[]): string => text.replace(/\{(\d+)\}/g, (_, n: string) => String(values[Number(n)])),
};

export const ProgressLocation = { Notification: 15, Window: 10 };
