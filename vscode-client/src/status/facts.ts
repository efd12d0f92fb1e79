import type { FolderState, FolderStatus, Status } from "../protocol";
import type { ServerState } from "../server/state";

/** How the whole is doing: the server where it does not run, else the least ready folder. */
export type Condition = Exclude<ServerState["kind"], "running"> | FolderState;

export interface Step {
    done: number;
    total: number;
}

/** What is known of the server and of the folders, kept as it is told. */
export class Facts {
    server: ServerState = { kind: "starting" };
    readonly folders = new Map<string, FolderStatus>();
    readonly #running = new Map<string, Step | undefined>();

    /** Why folders could not tell their status, a line each. */
    problems: readonly string[] = [];

    /** Take in the status of all folders, and the problems that are of none that answered. */
    take(status: Status): void {
        this.folders.clear();
        status.workspaces.forEach((folder) => {
            this.told(folder);
        });
        const own = new Set(status.workspaces.flatMap((folder) => folder.problems ?? []));
        this.problems = status.problems.filter((problem) => !own.has(problem));
    }

    /** Take in a folder's status. A `stopped` one carries nothing else, so what was known before stays. */
    told(folder: FolderStatus): void {
        this.problems = [];
        this.folders.set(folder.workspace, { ...this.folders.get(folder.workspace), ...folder });
    }

    /** Forget the folders and their work: they are asked anew. */
    clear(): void {
        this.folders.clear();
        this.problems = [];
        this.#running.clear();
    }

    /** Take in the progress of work that goes on, or its end. */
    progress(token: string, value: { kind: "begin" | "report" | "end"; message?: string }): void {
        if (value.kind === "end") {
            this.#running.delete(token);
        } else {
            this.#running.set(token, stepOf(value.message ?? ""));
        }
    }

    /** The work that goes on, all of it together; undefined where none does. */
    get step(): Partial<Step> | undefined {
        if (!this.#running.size) {
            return undefined;
        }
        const steps = [...this.#running.values()].filter((step) => step !== undefined);
        return steps.length
            ? {
                  done: steps.reduce((sum, step) => sum + step.done, 0),
                  total: steps.reduce((sum, step) => sum + step.total, 0),
              }
            : {};
    }

    get condition(): Condition {
        if (this.server.kind !== "running") {
            return this.server.kind;
        }
        if (this.problems.length) {
            return "failed";
        }
        const states = [...this.folders.values()].map((folder) => folder.state);
        if (this.#running.size && !states.includes("failed")) {
            return "indexing";
        }
        return states.reduce<FolderState>((worst, state) => (rank(state) > rank(worst) ? state : worst), states[0] ?? "empty");
    }
}

/** The last one wins over several folders. */
const READINESS: readonly FolderState[] = ["ready", "stopped", "degraded", "indexing", "empty", "failed"];
const rank = (state: FolderState): number => READINESS.indexOf(state);

/** Read "… 3 of 10", as the server writes it at the end of a message. */
function stepOf(message: string): Step | undefined {
    const found = /(\d+)\D+(\d+)\D*$/.exec(message);
    return found ? { done: Number(found[1]), total: Number(found[2]) } : undefined;
}
