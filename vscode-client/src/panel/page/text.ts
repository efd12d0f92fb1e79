import { el, button } from "./dom";
import { type Block, type Inline, inlines, parse } from "./markdown";

const NONE: ReadonlySet<number> = new Set();

/** Draw one line of text in which there are no marks. */
export function drawLine(markdown: string): Node[] {
    return inlines(markdown, NONE).flatMap((one) => (one.kind === "mark" ? [] : [plain(one)]));
}

/** Draw the text of an answer; a mark is a button that opens its citation. */
export function drawText(
    markdown: string,
    marks: ReadonlySet<number>,
    markLabel: (n: number) => string,
    open: (n: number) => void,
): HTMLElement[] {
    const mark = (n: number) =>
        button(String(n), { class: "mark", "data-mark": n, "aria-label": markLabel(n) }, () => {
            open(n);
        });
    const inline = (one: Inline, i: number, all: Inline[]): Node => {
        if (one.kind === "mark") return mark(one.n);
        // A mark stays on the line of what it is the evidence of.
        const glued = one.kind === "text" && all[i + 1]?.kind === "mark";
        return plain(glued ? { ...one, text: one.text.replace(/ $/, "\u00a0") } : one);
    };
    const block = (one: Block): HTMLElement => {
        switch (one.kind) {
            case "paragraph":
                return el("p", {}, ...one.inlines.map(inline));
            case "heading":
                return el("h3", {}, ...one.inlines.map(inline));
            case "code":
                return el("pre", {}, el("code", {}, one.text));
            case "list":
                return el(
                    one.ordered ? "ol" : "ul",
                    { start: one.ordered && one.start !== 1 ? one.start : undefined },
                    ...one.items.map((item) => el("li", {}, ...item.map(inline))),
                );
        }
    };
    return parse(markdown, marks).map(block);
}

function plain({ kind, text }: Exclude<Inline, { kind: "mark" }>): Node {
    switch (kind) {
        case "text":
            return document.createTextNode(text);
        case "code":
            return el("code", {}, text);
        case "bold":
            return el("strong", {}, text);
    }
}
