import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Finished {
    /** The exit code; null where a signal ended it. */
    code: number | null;
    /** Both streams, line by line as they came. */
    output: string;
}

export interface RunOptions {
    /** Where it runs: never a workspace, whose files could be taken for modules or settings. */
    cwd: string;
    env?: NodeJS.ProcessEnv;
    /** Ends the program and everything it started; `run` then rejects with the signal's reason. */
    signal?: AbortSignal;
    onLine?: (line: string) => void;
}

/**
 * Run a program to its end, with a list of arguments and no shell in between. Rejects where it cannot be started, and
 * where it was cancelled, but only once it is gone, so that its files can be removed.
 */
export async function run(executable: string, args: readonly string[], options: RunOptions): Promise<Finished> {
    const { cwd, env, signal, onLine } = options;
    signal?.throwIfAborted();
    // A group of its own, so that what it starts can be ended with it.
    const child = spawn(executable, args, {
        cwd,
        env: env ?? process.env,
        stdio: ["ignore", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true,
    });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream, crlfDelay: Infinity }).on("line", (line) => {
            lines.push(line);
            onLine?.(line);
        });
    }
    const end = (): void => {
        endTree(child);
    };
    signal?.addEventListener("abort", end, { once: true });
    try {
        const code = await new Promise<number | null>((resolve, reject) => {
            child.once("error", reject);
            child.once("close", resolve);
        });
        signal?.throwIfAborted();
        return { code, output: lines.join("\n") };
    } finally {
        signal?.removeEventListener("abort", end);
    }
}

function endTree(child: ChildProcess): void {
    if (child.pid === undefined) {
        return;
    }
    if (process.platform === "win32") {
        spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { windowsHide: true }).on("error", () => child.kill());
        return;
    }
    try {
        process.kill(-child.pid, "SIGKILL");
    } catch {
        child.kill("SIGKILL"); // the group is gone already
    }
}
