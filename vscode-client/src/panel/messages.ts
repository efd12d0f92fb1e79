/**
 * What goes between the extension and the page of the answer panel. The page draws what it is given and says what was
 * pressed; everything it shows is put into words by the extension.
 */

import type { CitationState } from "../protocol";

/** Where a question stands. `asking` shows the answer so far. */
export type AskStatus = "asking" | "done" | "failed" | "cancelled";

/** A piece of evidence, ready to be drawn. */
export interface Row {
    n: number;
    /** `path:start-end`, as the text stands now. */
    place: string;
    symbol: string;
    why: string;
    state: CitationState;
    /** The state in a word; empty where the code stands as it was cited. */
    badge: string;
    /** What the badge means, or why the row cannot be opened. */
    hint: string;
    /** The name that assistive technology reads. */
    label: string;
    firstLine: number;
    lines: string[];
}

/** A question and what came of it, ready to be drawn. */
export interface EntryView {
    id: number;
    question: string;
    status: AskStatus;
    /** Only what is expanded is drawn in full and follows the edits. */
    expanded: boolean;
    /** One line about what was asked and what was found, read out when it arrives. */
    summary: string;
    /** Markdown with the marks `[n]`; empty where there is no answer. */
    text: string;
    abstained: boolean;
    rows: Row[];
    /** What could not be seen, a sentence each. */
    notes: string[];
    error: string;
    /** What was searched; empty where there is no answer. */
    footer: string;
}

export interface Examples {
    /** No folder is open: there is nothing to ask. */
    folderOpen: boolean;
    questions: string[];
}

/** The fixed words of the page. */
export interface PageTexts {
    placeholder: string;
    boxLabel: string;
    ask: string;
    cancel: string;
    retry: string;
    askAgain: string;
    copy: string;
    copied: string;
    asking: string;
    cancelled: string;
    welcome: string;
    examples: string;
    noFolder: string;
    openFolder: string;
    conversation: string;
    evidence: string;
    /** `{0}` is the number of a citation. */
    mark: string;
}

export type ToPage =
    | { type: "show"; texts: PageTexts; empty: Examples; entries: EntryView[] }
    | { type: "entry"; entry: EntryView }
    /** To be read out. */
    | { type: "announce"; text: string }
    | { type: "copied"; id: number }
    | { type: "focus" };

export type FromPage =
    | { type: "ready" }
    | { type: "ask"; question: string }
    | { type: "cancel" }
    | { type: "again"; id: number }
    | { type: "toggle"; id: number; expanded: boolean }
    | { type: "open"; id: number; n: number }
    | { type: "copy"; id: number }
    | { type: "openFolder" };

/** Return a message of the page, or undefined for what is none: a page is not trusted to be ours. */
export function fromPage(value: unknown): FromPage | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    const { type, id, n, question, expanded } = value as Record<string, unknown>;
    switch (type) {
        case "ready":
        case "cancel":
        case "openFolder":
            return { type };
        case "ask":
            return typeof question === "string" ? { type, question } : undefined;
        case "again":
        case "copy":
            return typeof id === "number" ? { type, id } : undefined;
        case "toggle":
            return typeof id === "number" && typeof expanded === "boolean" ? { type, id, expanded } : undefined;
        case "open":
            return typeof id === "number" && typeof n === "number" ? { type, id, n } : undefined;
        default:
            return undefined;
    }
}
