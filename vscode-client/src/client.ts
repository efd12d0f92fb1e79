import { CancellationError, type CancellationToken, EventEmitter, l10n, type LogOutputChannel } from "vscode";
import {
    CloseAction,
    ErrorAction,
    LanguageClient,
    LSPErrorCodes,
    type Middleware,
    ProgressType,
    ResponseError,
    RevealOutputChannelOn,
    WorkDoneProgress,
    type WorkDoneProgressBegin,
    type WorkDoneProgressEnd,
    type WorkDoneProgressReport,
} from "vscode-languageclient/node";
import type { Codebase } from "./codebase";
import type { Anchored, Answer, AskParams, Citation, FolderStatus, Reindexed, Status } from "./protocol";
import type { FoundServer } from "./server/find";
import { settings } from "./settings";

export type Progress = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

export interface ClientEvents {
    /** The connection ended without being asked to. */
    closed: () => void;
    /** Work that the server does on its own: indexing a folder. */
    progress: (token: string, value: Progress) => void;
    status: (folder: FolderStatus) => void;
}

/** The tokens of our own requests, whose progress is shown where they were asked. */
const OWN = "codecite-";
let tokens = 0;
const newToken = (): string => `${OWN}${++tokens}`;

/** A language client that writes its troubles to the log: what people must know, the caller says once and in words. */
class QuietClient extends LanguageClient {
    override error(message: string, data?: unknown): void {
        super.error(message, data, false);
    }

    override warn(message: string, data?: unknown): void {
        super.warn(message, data, false);
    }

    override info(message: string, data?: unknown): void {
        super.info(message, data, false);
    }
}

/** Make the client of a server; it is not started yet. */
export function makeClient(
    server: FoundServer,
    cwd: string,
    extensionVersion: string,
    log: LogOutputChannel,
    events: ClientEvents,
): LanguageClient {
    const middleware: Middleware = {
        provideHover: (document, position, token, next) =>
            settings.hover(document) ? next(document, position, token) : undefined,
        provideWorkspaceSymbols: (query, token, next) => (settings.workspaceSymbols() ? next(query, token) : []),
        handleWorkDoneProgress: (token, value, next) => {
            if (String(token).startsWith(OWN)) {
                next(token, value);
                return;
            }
            events.progress(String(token), value);
            if (value.kind === "end") {
                next(token, value); // lets go of the bar that was never shown
            }
        },
    };
    const client = new QuietClient(
        "codecite",
        "Codecite",
        { command: server.executable, args: ["lsp"], options: { cwd } },
        {
            documentSelector: [{ scheme: "file" }],
            outputChannel: log,
            revealOutputChannelOn: RevealOutputChannelOn.Never,
            initializationOptions: { extensionVersion },
            initializationFailedHandler: () => false,
            middleware,
            errorHandler: {
                error: () => ({ action: ErrorAction.Continue, handled: true }),
                closed: () => {
                    events.closed();
                    return { action: CloseAction.DoNotRestart, handled: true };
                },
            },
        },
    );
    client.onNotification("codecite/statusChanged", events.status);
    return client;
}

/** The codebase as the language server knows it; `connect` waits for a server that starts, or says why there is none. */
export class ServedCodebase implements Codebase {
    readonly #statusChanged = new EventEmitter<FolderStatus>();
    readonly onStatusChanged = this.#statusChanged.event;

    constructor(private readonly connect: () => Promise<LanguageClient>) {}

    async ask(params: AskParams, onPartial: (answer: Answer) => void, token: CancellationToken): Promise<Answer> {
        const client = await this.connect();
        const partialResultToken = newToken();
        const listening = client.onProgress(new ProgressType<Answer>(), partialResultToken, onPartial);
        try {
            const query = { k: settings.maxCitations(), ...params, partialResultToken };
            return await request<Answer>(client, "codecite/ask", query, token);
        } finally {
            listening.dispose();
        }
    }

    async anchor(citations: readonly Citation[], token: CancellationToken): Promise<Anchored> {
        return request<Anchored>(await this.connect(), "codecite/anchor", { citations }, token);
    }

    async status(token?: CancellationToken): Promise<Status> {
        return request<Status>(await this.connect(), "codecite/status", {}, token);
    }

    async reindex(
        full: boolean,
        token: CancellationToken,
        onProgress?: (message: string) => void,
    ): Promise<Reindexed> {
        const client = await this.connect();
        const workDoneToken = newToken();
        const listening = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
            if (value.kind !== "end" && value.message) {
                onProgress?.(value.message);
            }
        });
        try {
            return await request<Reindexed>(client, "codecite/reindex", { full, workDoneToken }, token);
        } finally {
            listening.dispose();
        }
    }

    /** Pass on what the server said of a folder. */
    told(folder: FolderStatus): void {
        this.#statusChanged.fire(folder);
    }

    dispose(): void {
        this.#statusChanged.dispose();
    }
}

async function request<R>(
    client: LanguageClient,
    method: string,
    params: unknown,
    token: CancellationToken | undefined,
): Promise<R> {
    try {
        return await client.sendRequest<R>(method, params, token);
    } catch (error) {
        if (token?.isCancellationRequested === true || isCancelled(error)) {
            throw new CancellationError();
        }
        if (!client.isRunning()) {
            throw new Error(l10n.t("The Codecite server stopped before it answered; ask again."));
        }
        throw error instanceof Error ? error : new Error(String(error));
    }
}

function isCancelled(error: unknown): boolean {
    const codes: number[] = [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled];
    return error instanceof ResponseError && codes.includes(error.code);
}
