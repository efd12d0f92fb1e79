/** An entry of the conversation in words, ready to be drawn. Pure. */

import type { Answer, Citation, CitationState } from "../protocol";
import type { Entry } from "./conversation";
import type { EntryView, PageTexts, Row } from "./messages";

type Differing = Exclude<CitationState, "fresh">;

/** The words of the panel; `{0}` and `{1}` stand for what is filled in. */
export interface Texts {
    page: PageTexts;
    examples: string[];
    badges: Record<Differing, string>;
    hints: Record<Differing, string>;
    lines: string;
    line: string;
    found: string;
    foundOne: string;
    foundNothing: string;
    searched: string;
    searchedOne: string;
    notChecked: string;
    nothingToCopy: string;
}

/** The most lines of code shown for a piece of evidence. */
const CODE_LINES = 6;

export function present(entry: Entry, texts: Texts): EntryView {
    const { answer } = entry;
    return {
        id: entry.id,
        question: entry.params.question,
        status: entry.status,
        expanded: entry.expanded,
        summary: answer ? summary(answer, texts) : "",
        text: answer ? prose(answer) : "",
        abstained: answer?.abstained ?? false,
        rows: entry.shown.map((citation) => row(citation, texts)),
        notes: [...(answer?.degraded ?? []), ...entry.problems.map((problem) => fill(texts.notChecked, problem))],
        error: entry.error,
        // Evidence by itself says with its first words how many files were searched.
        footer: answer && answer.generator !== "evidence" ? searched(answer.searched.files, texts) : "",
    };
}

/**
 * The text of an answer without the lines that only name a piece of evidence: the rows say the same, and theirs are the
 * lines of now.
 */
export function prose(answer: Answer): string {
    if (answer.generator !== "evidence") return answer.text;
    const restated = new Set(
        answer.claims.flatMap((claim) => claim.citations.map((n) => `- ${claim.text} [${n}]`)),
    );
    return answer.text
        .split("\n")
        .filter((line) => !restated.has(line))
        .join("\n");
}

/** `path:start-end`, or `path:line` where it is one. */
export function place({ path, start_line, end_line }: Citation): string {
    return start_line === end_line ? `${path}:${start_line}` : `${path}:${start_line}-${end_line}`;
}

/** The lines of code that show best why, without their ends and without blank ones after the last. */
export function excerptLines(citation: Citation): string[] {
    return (citation.excerpt || citation.text)
        .split(/\r\n|\n|\r/, CODE_LINES)
        .join("\n")
        .trimEnd()
        .split("\n");
}

/** Put values in the places `{0}`, `{1}`, … of a text. */
export function fill(text: string, ...values: (string | number)[]): string {
    return text.replace(/\{(\d+)\}/g, (whole, index: string) => String(values[Number(index)] ?? whole));
}

function row(citation: Citation, texts: Texts): Row {
    const { n, path, symbol, why, state, start_line, end_line } = citation;
    const badge = state === "fresh" ? "" : texts.badges[state];
    const lines =
        start_line === end_line ? fill(texts.line, start_line) : fill(texts.lines, start_line, end_line);
    return {
        n,
        place: place(citation),
        symbol,
        why,
        state,
        badge,
        hint: state === "fresh" ? "" : texts.hints[state],
        label: [fill(texts.page.mark, n), `${path} ${lines}`, symbol, badge].filter(Boolean).join(", "),
        firstLine: citation.excerpt_start || start_line,
        lines: excerptLines(citation),
    };
}

function summary(answer: Answer, texts: Texts): string {
    const count = answer.citations.length;
    if (answer.abstained || count === 0) return texts.foundNothing;
    return count === 1 ? texts.foundOne : fill(texts.found, count);
}

function searched(files: number, texts: Texts): string {
    return files === 1 ? texts.searchedOne : fill(texts.searched, files);
}
