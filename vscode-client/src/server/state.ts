import type { FoundServer } from "./find";

/** What the language server is doing; `reason` is one line for people. */
export type ServerState =
    | { kind: "off" }
    /** There is nothing to serve: no folder of this machine is open. */
    | { kind: "noFolder" }
    | { kind: "starting" }
    | { kind: "running"; server: FoundServer }
    | { kind: "missing"; reason: string }
    | { kind: "failed"; reason: string };

/** Allows a few restarts within a while, so that a server that dies at once is not started for ever. */
export class RestartBudget {
    #times: number[] = [];

    constructor(
        private readonly most = 3,
        private readonly within = 600_000,
    ) {}

    /** Take one restart at a time in milliseconds; false when there is none left. */
    take(now: number): boolean {
        this.#times = this.#times.filter((time) => now - time < this.within);
        if (this.#times.length >= this.most) {
            return false;
        }
        this.#times.push(now);
        return true;
    }

    renew(): void {
        this.#times = [];
    }
}
