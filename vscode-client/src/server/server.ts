import { mkdir } from "node:fs/promises";
import { type Disposable, EventEmitter, l10n, type LogOutputChannel, workspace } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ClientEvents, makeClient } from "../client";
import { settings } from "../settings";
import { explain } from "./explain";
import { type Finding, findServer, oneLine, type Trouble } from "./find";
import { RestartBudget, type ServerState } from "./state";
import type { Versions } from "./versions";

export interface ServerEvents extends Omit<ClientEvents, "closed"> {
    /** The server cannot be started, and the user must do something; said once for each attempt to start it. */
    trouble: (finding: Trouble | { kind: "failed"; reason: string }) => void;
}

/** The one language server of this window: found, started, started again when it dies, stopped. */
export class Server implements Disposable {
    readonly #changed = new EventEmitter<ServerState>();
    readonly onChanged = this.#changed.event;
    readonly #restarts = new RestartBudget();
    #state: ServerState = { kind: "starting" };
    #client: LanguageClient | undefined;
    #turn: Promise<void> = Promise.resolve();

    constructor(
        private readonly storage: string,
        private readonly version: string,
        private readonly log: LogOutputChannel,
        private readonly events: ServerEvents,
        private readonly versions: Versions,
        private readonly make: typeof makeClient,
    ) {}

    get state(): ServerState {
        return this.#state;
    }

    /** Start the server, or start it afresh; where it must not run, stop it. Never rejects: the state says how it went. */
    restart(): Promise<void> {
        this.#restarts.renew();
        return this.#next(() => this.#begin());
    }

    /** Start where nothing runs yet, stop where nothing may run: for when folders come and go. */
    adjust(): Promise<void> {
        return this.#next(async () => {
            const idle = this.#state.kind === "noFolder" || this.#state.kind === "off";
            if (idle !== (this.#idleState() !== undefined)) {
                await this.#begin();
            }
        });
    }

    /** Wait until it was tried to start the server; rejects with a line that says why none runs. */
    async connect(): Promise<LanguageClient> {
        await this.#turn;
        const state = this.#state;
        if (this.#client && state.kind === "running") {
            return this.#client;
        }
        throw new Error(
            state.kind === "missing" || state.kind === "failed"
                ? state.reason
                : state.kind === "off"
                  ? l10n.t("Codecite is turned off; turn the setting codecite.enabled on.")
                  : state.kind === "noFolder"
                    ? l10n.t("No folder is open, so there is nothing to search; open a folder.")
                    : l10n.t("The Codecite server is starting; try again in a moment."),
        );
    }

    async dispose(): Promise<void> {
        await this.#next(() => this.#end());
        this.#changed.dispose();
    }

    #next(step: () => Promise<void>): Promise<void> {
        this.#turn = this.#turn.then(step).catch((error: unknown) => {
            this.log.error(String(error));
            this.#set({ kind: "failed", reason: oneLine(error) });
        });
        return this.#turn;
    }

    #set(state: ServerState): void {
        this.#state = state;
        this.#changed.fire(state);
    }

    #idleState(): ServerState | undefined {
        if (!settings.enabled()) {
            return { kind: "off" };
        }
        return workspace.workspaceFolders?.some((folder) => folder.uri.scheme === "file") ? undefined : { kind: "noFolder" };
    }

    async #begin(): Promise<void> {
        const idle = this.#idleState();
        this.#set(idle ?? { kind: "starting" });
        await this.#end();
        if (idle) {
            return;
        }
        await mkdir(this.storage, { recursive: true });
        const finding = await this.#find();
        if (finding.kind !== "found") {
            const reason = explain(finding, this.version);
            if (finding.kind === "missing" || finding.kind === "wrongSetting") {
                this.log.warn(`${reason} PATH=${process.env.PATH ?? ""}`);
            }
            this.#set({ kind: finding.kind === "missing" ? "missing" : "failed", reason });
            this.events.trouble(finding);
            return;
        }
        const { server } = finding;
        this.log.info(`Server ${server.version}: ${server.executable} (${server.origin})`);
        const client = this.make(server, this.storage, this.version, this.log, {
            ...this.events,
            closed: () => {
                this.#died(client);
            },
        });
        this.#client = client;
        try {
            await client.start();
            this.#set({ kind: "running", server });
        } catch (error) {
            await this.#end();
            await this.versions.forget(server.executable);
            const reason = l10n.t("The Codecite server did not start: {0}", oneLine(error));
            this.#set({ kind: "failed", reason });
            this.events.trouble({ kind: "failed", reason });
        }
    }

    #find(): Promise<Finding> {
        const folders = workspace.workspaceFolders ?? [];
        const around = {
            setting: settings.serverPath(),
            env: process.env,
            platform: process.platform,
            distrusted: workspace.isTrusted ? [] : folders.map((folder) => folder.uri.fsPath),
            storage: this.storage,
            version: this.version,
        };
        const passedOver = (finding: Trouble): void => {
            this.log.warn(explain(finding, this.version));
        };
        return findServer(around, passedOver, (...program) => this.versions.of(...program));
    }

    /** The connection of a client ended by itself; before it ran, its start fails and says so. */
    #died(client: LanguageClient): void {
        if (this.#client !== client || this.#state.kind !== "running") {
            return;
        }
        if (this.#restarts.take(Date.now())) {
            this.log.warn("The server went away and is started again.");
            this.#set({ kind: "starting" });
            void this.#next(() => this.#begin());
            return;
        }
        const reason = l10n.t("The Codecite server keeps stopping; its log says why.");
        this.#set({ kind: "failed", reason });
        this.events.trouble({ kind: "failed", reason });
    }

    async #end(): Promise<void> {
        const client = this.#client;
        this.#client = undefined;
        try {
            await client?.dispose();
        } catch (error) {
            this.log.debug(`The server was not running when it was stopped: ${oneLine(error)}`);
        }
    }
}
