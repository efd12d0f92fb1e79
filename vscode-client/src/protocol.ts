/**
 * What goes over the wire between this extension and the language server: the parts of its results that are read here.
 * Lines are 1-based and inclusive, except in `Range`, which is the protocol's own. The whole of it is described in
 * docs/reference/results.md and docs/reference/language-server.md.
 */

/** A place in a document: 0-based line and UTF-16 column. */
export interface Position {
    line: number;
    character: number;
}

export interface Range {
    start: Position;
    end: Position;
}

export interface Location {
    uri: string;
    range: Range;
}

/** How a citation differs from what was indexed. */
export type CitationState = "fresh" | "moved" | "changed" | "gone";

/** A numbered piece of evidence. It goes back to `codecite/anchor` as it came, with all its fields. */
export interface Citation {
    n: number;
    id: string;
    path: string;
    start_line: number;
    end_line: number;
    symbol: string;
    kind: string;
    language: string;
    text: string;
    why: string;
    state: CitationState;
    excerpt_start: number;
    excerpt: string;
    workspace?: string;
    /** The whole lines as they stand now; null where nothing of them is left. */
    location: Location | null;
    /** The defining name, where the citation is of a definition. */
    selection: Range | null;
    [field: string]: unknown;
}

export interface Claim {
    text: string;
    citations: number[];
}

export interface Answer {
    question: string;
    /** Markdown with the marks `[n]`. */
    text: string;
    claims: Claim[];
    citations: Citation[];
    /** There is no evidence; `text` says so. */
    abstained: boolean;
    /** What could not be seen, a sentence each. */
    degraded: string[];
    /** Who wrote `text`: "evidence" where no model took part. */
    generator: string;
    searched: { files: number; blocks: number };
}

export interface AskParams {
    question: string;
    /** A document: only its folder is asked. */
    uri?: string;
    position?: Position;
    /** The most citations wanted. */
    k?: number;
}

export interface Anchored {
    citations: Citation[];
    problems: string[];
}

export type FolderState = "empty" | "indexing" | "ready" | "degraded" | "failed" | "stopped";

/** The state of one folder's index; `codecite/statusChanged` carries it whenever it changes. */
export interface FolderStatus {
    workspace: string;
    state: FolderState;
    files?: { indexed: number; skipped?: unknown };
    blocks?: { total: number };
    vectors?: { embedder: string };
    /** Seconds since 1970; null before the first. */
    last_success?: number | null;
    degraded?: string[];
    problems?: string[];
    [field: string]: unknown;
}

/** The state of all folders. */
export interface Status {
    state: FolderState;
    workspaces: FolderStatus[];
    problems: string[];
}

export interface Reindexed {
    workspaces: FolderStatus[];
    problems: string[];
}
