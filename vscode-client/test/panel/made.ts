import type { Answer, Citation } from "../../src/protocol";
import type { Texts } from "../../src/panel/present";

/** A citation of `path:start-end` that is as it was indexed. */
export function citation(n: number, changes: Partial<Citation> = {}): Citation {
    return {
        n,
        id: `id-${n}`,
        path: `src/part${n}.py`,
        start_line: 10,
        end_line: 12,
        symbol: `part${n}`,
        kind: "function",
        language: "python",
        text: `def part${n}():\n    pass\n\n`,
        why: `defines \`part${n}\``,
        state: "fresh",
        excerpt_start: 10,
        excerpt: `def part${n}():\n    pass\n\n`,
        location: {
            uri: `file:///w/src/part${n}.py`,
            range: { start: { line: 9, character: 0 }, end: { line: 11, character: 0 } },
        },
        selection: null,
        ...changes,
    };
}

export function answer(citations: Citation[], changes: Partial<Answer> = {}): Answer {
    const claims = citations.map(({ n, path, why }) => ({ text: `\`${path}:10-12\` ${why}`, citations: [n] }));
    return {
        question: "where?",
        text: ["Found:", ...claims.map((claim) => `- ${claim.text} [${claim.citations.join()}]`)].join("\n"),
        claims,
        citations,
        abstained: citations.length === 0,
        degraded: [],
        generator: "evidence",
        searched: { files: 3, blocks: 9 },
        ...changes,
    };
}

const words = { moved: "moved", changed: "changed", gone: "gone" };

/** The words of the panel, as far as a test reads them. */
export const TEXTS: Texts = {
    page: {
        placeholder: "",
        boxLabel: "",
        ask: "Ask",
        cancel: "Cancel",
        retry: "Retry",
        askAgain: "Ask again",
        copy: "Copy",
        copied: "Copied",
        asking: "",
        cancelled: "Cancelled.",
        welcome: "",
        examples: "",
        noFolder: "",
        openFolder: "",
        conversation: "",
        evidence: "",
        mark: "Citation {0}",
    },
    examples: [],
    badges: words,
    hints: words,
    lines: "lines {0} to {1}",
    line: "line {0}",
    found: "{0} pieces",
    foundOne: "one piece",
    foundNothing: "none",
    searched: "Searched {0} files",
    searchedOne: "Searched one file",
    notChecked: "not checked: {0}",
    nothingToCopy: "",
};
