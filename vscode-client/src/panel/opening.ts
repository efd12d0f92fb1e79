import * as vscode from "vscode";
import type { Location, Range } from "../protocol";
import { afterEdits } from "./lines";

/** A citation's place in an editor. */
export interface Place {
    location: Location;
    selection: Range | null;
}

/**
 * Opens cited lines in the editor and marks them. The mark stays, through edits around it and while its tab is hidden,
 * until another citation is opened or the marked lines themselves are edited: then the reader is at work on them.
 */
export class Opening implements vscode.Disposable {
    private readonly mark = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
        overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.rangeHighlightForeground"),
        overviewRulerLane: vscode.OverviewRulerLane.Center,
        // High contrast has no background; elsewhere this colour is none.
        borderStyle: "solid",
        borderWidth: "0 0 0 2px",
        borderColor: new vscode.ThemeColor("contrastActiveBorder"),
    });
    private marked: { uri: string; first: number; last: number } | undefined;
    private readonly disposables = [
        this.mark,
        vscode.workspace.onDidChangeTextDocument((event) => {
            this.follow(event);
        }),
        vscode.window.onDidChangeVisibleTextEditors(() => {
            this.draw();
        }),
    ];

    /** Show a place in the last active editor group; rejects where the file cannot be opened. */
    async open({ location, selection }: Place): Promise<void> {
        const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(location.uri));
        const lines = toRange(location.range);
        const editor = await vscode.window.showTextDocument(document, {
            preview: true,
            viewColumn: vscode.ViewColumn.Active,
            selection: selection ? toRange(selection) : new vscode.Range(lines.start, lines.start),
        });
        editor.revealRange(lines, vscode.TextEditorRevealType.InCenter);
        // A range that ends at the start of a line does not take that line in.
        const last = lines.end.character === 0 ? Math.max(lines.start.line, lines.end.line - 1) : lines.end.line;
        this.marked = { uri: document.uri.toString(), first: lines.start.line, last };
        this.draw();
    }

    /** Take the mark away. */
    clear(): void {
        this.marked = undefined;
        this.draw();
    }

    dispose(): void {
        for (const one of this.disposables) one.dispose();
    }

    private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
        const { marked } = this;
        if (!marked || contentChanges.length === 0 || document.uri.toString() !== marked.uri) return;
        const lines = afterEdits(marked, contentChanges);
        if (!lines) this.clear();
        else this.marked = { uri: marked.uri, ...lines };
    }

    private draw(): void {
        const { marked } = this;
        for (const editor of vscode.window.visibleTextEditors) {
            const here = marked?.uri === editor.document.uri.toString();
            editor.setDecorations(
                this.mark,
                here ? [new vscode.Range(marked.first, 0, marked.last, 0)] : [],
            );
        }
    }
}

function toRange({ start, end }: Range): vscode.Range {
    return new vscode.Range(start.line, start.character, end.line, end.character);
}
