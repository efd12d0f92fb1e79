import { el, button } from "./dom";
import { type Block, type Inline, parse } from "./markdown";

/** Draw the text of an answer; a mark is a button that opens its citation. */
export function drawText(
    markdown: string,
    marks: ReadonlySet<number>,
    markLabel: (n: number) => string,
    open: (n: number) => void,
): HTMLElement[] {
    const inline = (one: Inline): Node => {
        switch (one.kind) {
            case "text":
                return document.createTextNode(one.text);
            case "code":
                return el("code", {}, one.text);
            case "bold":
                return el("strong", {}, one.text);
            case "mark":
                return button(String(one.n), { class: "mark", "data-mark": one.n, "aria-label": markLabel(one.n) }, () => {
                    open(one.n);
                });
        }
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
