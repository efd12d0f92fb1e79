import type { CancellationToken, Event } from "vscode";
import type { Anchored, Answer, AskParams, Citation, FolderStatus, Reindexed, Status } from "./protocol";

/**
 * The indexed code of the open folders, as the views ask it: implemented by the language client, and by a small fake in
 * tests. Every method rejects with an Error whose message is one line for people; cancelling rejects with a
 * `vscode.CancellationError`.
 */
export interface Codebase {
    /** Answer a question. `onPartial` is given each better state of the answer while it is being made, whole. */
    ask(params: AskParams, onPartial: (answer: Answer) => void, token: CancellationToken): Promise<Answer>;

    /** Hold citations of earlier answers against the text as it is now, unsaved text included; the order is kept. */
    anchor(citations: readonly Citation[], token: CancellationToken): Promise<Anchored>;

    status(): Promise<Status>;

    reindex(full: boolean, token: CancellationToken): Promise<Reindexed>;

    /** The index of a folder is in another state than before: text may have been indexed, or the engine be gone. */
    readonly onStatusChanged: Event<FolderStatus>;
}
