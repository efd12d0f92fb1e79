/** An answer as a Markdown document, to be pasted elsewhere. Pure. */

import type { Entry } from "./conversation";
import { excerptLines, place, prose, type Texts } from "./present";

/** The question, the answer's text and each citation as `path:line` with its code; empty where there is no answer. */
export function asMarkdown(entry: Entry, badges: Texts["badges"]): string {
    if (!entry.answer) return "";
    const evidence = entry.shown.map((citation) => {
        const symbol = citation.symbol && ` — ${code(citation.symbol)}`;
        const state = citation.state === "fresh" ? "" : ` (${badges[citation.state]})`;
        const lines = excerptLines(citation);
        const fence = fenceFor(lines);
        return [
            `[${citation.n}] ${code(place(citation))}${symbol}${state}`,
            `${fence}${citation.language}\n${lines.join("\n")}\n${fence}`,
        ].join("\n\n");
    });
    const question = entry.params.question.trim().replace(/\s+/g, " ");
    return [`**${question}**`, prose(entry.answer).trim(), ...evidence].filter(Boolean).join("\n\n") + "\n";
}

/** A fence longer than any run of backticks at the start of a line, so that code cannot end it. */
function fenceFor(lines: readonly string[]): string {
    const longest = Math.max(2, ...lines.map((line) => /^\s*(`*)/.exec(line)?.[1]?.length ?? 0));
    return "`".repeat(longest + 1);
}

function code(text: string): string {
    return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
