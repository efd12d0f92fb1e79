/**
 * The questions of this workspace and what came of them, newest first. Pure: no editor, no server; the view draws it and
 * the language client fills it.
 */

import type { Answer, AskParams, Citation } from "../protocol";
import type { AskStatus } from "./messages";

/** How many questions are remembered. */
export const REMEMBERED = 20;

export interface Entry {
    readonly id: number;
    readonly params: AskParams;
    status: AskStatus;
    expanded: boolean;
    /** As it came: what is held against the text again and again, so that an edit that is taken back is seen as that. */
    answer?: Answer;
    /** The answer's citations as they stand now, in the same order. */
    shown: readonly Citation[];
    error: string;
    /** What went wrong when the citations were last held against the text. */
    problems: readonly string[];
}

/** What is kept between sessions. The version changes when an older one can no longer be read. */
interface Stored {
    version: 1;
    entries: { params: AskParams; status: AskStatus; answer?: Answer }[];
}

export class Conversation {
    private next = 1;
    private list: Entry[] = [];

    get entries(): readonly Entry[] {
        return this.list;
    }

    find(id: number): Entry | undefined {
        return this.list.find((entry) => entry.id === id);
    }

    /** The newest entry that has an answer. */
    get latest(): Entry | undefined {
        return this.list.find((entry) => entry.answer !== undefined);
    }

    /** Put a question on top and fold the ones before; the same question asked before gives way to it. */
    begin(params: AskParams): Entry {
        const entry = this.add(params, "asking");
        const others = this.list.filter((other) => other !== entry && !sameQuestion(other.params, params));
        for (const other of others) other.expanded = false;
        entry.expanded = true;
        this.list = [entry, ...others].slice(0, REMEMBERED);
        return entry;
    }

    /** Take an answer, whole, in place of the one before; nothing happens to a question that no longer is asked. */
    show(entry: Entry, answer: Answer, status: "asking" | "done"): boolean {
        if (entry.status !== "asking") return false;
        entry.status = status;
        entry.answer = answer;
        entry.shown = answer.citations;
        return true;
    }

    /** End a question without its answer; what had arrived of it stays. */
    end(entry: Entry, status: "failed" | "cancelled", error = ""): boolean {
        if (entry.status !== "asking") return false;
        entry.status = status;
        entry.error = error;
        return true;
    }

    clear(): void {
        this.list = [];
    }

    toStored(): Stored {
        return {
            version: 1,
            entries: this.list.map(({ params, status, answer }) => ({ params, status, ...(answer && { answer }) })),
        };
    }

    /** Restore what `toStored` gave, folded; anything else is an empty conversation. A question that was cut off is cancelled. */
    static fromStored(value: unknown): Conversation {
        const conversation = new Conversation();
        if (!isStored(value)) return conversation;
        for (const { params, status, answer } of value.entries) {
            const entry = conversation.add(params, status === "asking" ? "cancelled" : status);
            if (answer) {
                entry.answer = answer;
                entry.shown = answer.citations;
            }
        }
        return conversation;
    }

    private add(params: AskParams, status: AskStatus): Entry {
        const entry: Entry = { id: this.next++, params, status, expanded: false, shown: [], error: "", problems: [] };
        this.list.push(entry);
        return entry;
    }
}

function sameQuestion(one: AskParams, other: AskParams): boolean {
    return one.question === other.question && one.uri === other.uri;
}

function isStored(value: unknown): value is Stored {
    const stored = value as Partial<Stored> | null | undefined;
    return stored?.version === 1 && Array.isArray(stored.entries);
}
