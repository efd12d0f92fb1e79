import * as vscode from "vscode";
import type { Codebase } from "../codebase";
import type { Citation } from "../protocol";
import { batches, joined, sameJson, toAnchor } from "./anchoring";
import type { Entry } from "./conversation";

/** Long enough that a word is typed in one go, short enough to feel at once. */
const PAUSE_MS = 120;

/**
 * Keeps the citations that are shown right while files change: after edits, saves, deletions, renames and changes of the
 * index they are held against the text again. One request runs at a time; what happens meanwhile is looked at after it.
 */
export class Following implements vscode.Disposable {
    private readonly disposables: vscode.Disposable[];
    private readonly cancellation = new vscode.CancellationTokenSource();
    private timer: NodeJS.Timeout | undefined;
    private running: Promise<void> | undefined;
    private again = false;

    /**
     * @param shown the entries whose citations a reader can see now; none while the panel is hidden.
     * @param onChanged told of each entry whose citations or problems are others than before.
     */
    constructor(
        private readonly codebase: Codebase,
        private readonly shown: () => readonly Entry[],
        private readonly onChanged: (entry: Entry) => void,
    ) {
        const files = (uris: readonly vscode.Uri[]) => {
            if (uris.some((uri) => this.isCited(uri))) this.soon();
        };
        this.disposables = [
            vscode.workspace.onDidChangeTextDocument((event) => {
                if (event.contentChanges.length > 0) files([event.document.uri]);
            }),
            vscode.workspace.onDidSaveTextDocument((document) => {
                files([document.uri]);
            }),
            vscode.workspace.onDidCreateFiles((event) => {
                files(event.files);
            }),
            vscode.workspace.onDidDeleteFiles((event) => {
                files(event.files);
            }),
            vscode.workspace.onDidRenameFiles((event) => {
                files(event.files.flatMap((file) => [file.oldUri, file.newUri]));
            }),
            codebase.onStatusChanged(() => {
                this.soon();
            }),
        ];
    }

    /** Look again after a short pause; asking again starts the pause anew. */
    soon(): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            void this.now();
        }, PAUSE_MS);
    }

    /** Look again now; resolves when everything that is shown is right. */
    now(): Promise<void> {
        clearTimeout(this.timer);
        this.again = true;
        this.running ??= this.run().finally(() => {
            this.running = undefined;
        });
        return this.running;
    }

    dispose(): void {
        clearTimeout(this.timer);
        this.cancellation.cancel();
        this.cancellation.dispose();
        for (const one of this.disposables) one.dispose();
    }

    private async run(): Promise<void> {
        while (this.again) {
            this.again = false;
            for (const batch of batches(this.shown())) await this.anchor(batch);
        }
    }

    private async anchor(entries: readonly Entry[]): Promise<void> {
        const sent = entries.map((entry) => ({ entry, answer: entry.answer, citations: toAnchor(entry) }));
        const all = sent.flatMap(({ citations }) => citations);
        const result = await this.ask(all);
        if (!result) return;
        let from = 0;
        for (const { entry, answer, citations } of sent) {
            const mine = result.citations?.slice(from, (from += citations.length));
            // A better answer may have arrived meanwhile: its citations are newer than these.
            if (entry.answer !== answer) continue;
            const now = mine ? joined(entry, mine) : entry.shown;
            if (sameJson(now, entry.shown) && sameJson(result.problems, entry.problems)) continue;
            entry.shown = now;
            entry.problems = result.problems;
            this.onChanged(entry);
        }
    }

    /** Without citations where they could not be held against the text; undefined after the end. */
    private async ask(
        citations: readonly Citation[],
    ): Promise<{ citations?: readonly Citation[]; problems: readonly string[] } | undefined> {
        try {
            return await this.codebase.anchor(citations, this.cancellation.token);
        } catch (error) {
            if (error instanceof vscode.CancellationError) return undefined;
            return { problems: [error instanceof Error ? error.message : String(error)] };
        }
    }

    /** Say whether a file, or one below a folder, is cited by what is shown. */
    private isCited(uri: vscode.Uri): boolean {
        const wanted = uri.toString();
        return this.shown().some((entry) =>
            (entry.answer?.citations ?? []).some(({ location }, i) =>
                [location, entry.shown[i]?.location].some((one) => {
                    if (!one) return false;
                    const cited = vscode.Uri.parse(one.uri).toString();
                    return cited === wanted || cited.startsWith(`${wanted}/`);
                }),
            ),
        );
    }
}
