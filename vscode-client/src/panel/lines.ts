/** Whole lines of a document, 0-based and inclusive. */
export interface Lines {
    first: number;
    last: number;
}

/** An edit as an editor reports it; `vscode.TextDocumentContentChangeEvent` is one. */
export interface Edit {
    range: { start: { line: number; character: number }; end: { line: number; character: number } };
    text: string;
}

/**
 * Return where the lines are after edits that happened at once (none overlaps another), undefined where one of them
 * touched the lines.
 */
export function afterEdits({ first, last }: Lines, edits: readonly Edit[]): Lines | undefined {
    let by = 0;
    for (const { range, text } of edits) {
        const { start, end } = range;
        if (start.line > last) continue;
        // Whole lines that end where the first line starts leave it as it was.
        const leavesFirst = text.endsWith("\n") || (text === "" && start.character === 0);
        const above = end.line < first || (end.line === first && end.character === 0 && leavesFirst);
        if (!above) return undefined;
        by += text.split("\n").length - 1 - (end.line - start.line);
    }
    return { first: first + by, last: last + by };
}
