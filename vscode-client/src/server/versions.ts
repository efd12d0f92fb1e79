import { stat } from "node:fs/promises";
import { versionOf } from "./find";

/** The part of `vscode.Memento` that is used. */
export interface Memory {
    get(key: string): unknown;
    update(key: string, value: unknown): PromiseLike<void>;
}

/** The versions of programs, asked for once as long as their files are the same: a start in Python takes half a second. */
export class Versions {
    constructor(private readonly memory: Memory) {}

    /** Return a program's version; rejects as `versionOf` does. */
    async of(executable: string, cwd: string, timeout: number): Promise<string> {
        const { mtimeMs, size } = await stat(executable);
        const file = `${mtimeMs} ${size}`;
        const known = this.memory.get(key(executable));
        if (isKnown(known) && known.file === file) {
            return known.version;
        }
        const version = await versionOf(executable, cwd, timeout);
        await this.memory.update(key(executable), { file, version });
        return version;
    }

    /** Ask a program again the next time: it did not keep its word. */
    async forget(executable: string): Promise<void> {
        await this.memory.update(key(executable), undefined);
    }
}

const key = (executable: string): string => `version of ${executable}`;

function isKnown(value: unknown): value is { file: string; version: string } {
    return typeof value === "object" && value !== null && "file" in value && "version" in value && typeof value.version === "string";
}
