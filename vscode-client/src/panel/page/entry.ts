import type { EntryView, FromPage, PageTexts } from "../messages";
import { arrange, button, el, set } from "./dom";
import { Rows } from "./rows";
import { drawText } from "./text";

/** A question with its answer. Drawing it again changes only what differs, so that focus and scroll stay. */
export class EntryElement {
    readonly element: HTMLElement;
    private readonly head: HTMLButtonElement;
    private readonly body: HTMLElement;
    private readonly progress: HTMLElement;
    private readonly prose: HTMLElement;
    private readonly error: HTMLElement;
    private readonly rows: Rows;
    private readonly notes: HTMLUListElement;
    private readonly footer: HTMLElement;
    private readonly searched: HTMLSpanElement;
    private readonly retry: HTMLButtonElement;
    private readonly again: HTMLButtonElement;
    private readonly copy: HTMLButtonElement;
    private drawnText = "";

    constructor(
        private entry: EntryView,
        private readonly texts: PageTexts,
        private readonly post: (message: FromPage) => void,
    ) {
        const { id } = entry;
        const name = `question-${id}`;
        this.head = button(entry.question, { class: "question", id: name, "aria-controls": `answer-${id}` }, () => {
            post({ type: "toggle", id, expanded: !this.entry.expanded });
        });
        this.progress = el("div", { class: "progress" }, el("span", { class: "bar" }), el("span", {}, texts.asking));
        this.prose = el("div", { class: "prose" });
        this.error = el("p", { class: "error" });
        this.rows = new Rows(texts.evidence, (n) => {
            this.open(n);
        });
        this.notes = el("ul", { class: "notes" });
        const ask = () => {
            post({ type: "again", id });
        };
        this.retry = button(texts.retry, { class: "secondary", "data-action": "retry" }, ask);
        this.again = button(texts.askAgain, { class: "quiet", "data-action": "again" }, ask);
        this.copy = button(texts.copy, { class: "quiet", "data-action": "copy" }, () => {
            post({ type: "copy", id });
        });
        this.searched = el("span", { class: "searched" });
        this.footer = el("div", { class: "footer" }, this.searched, this.copy, this.again);
        this.body = el("div", { class: "answer", id: `answer-${id}` });
        this.element = el(
            "article",
            { class: "entry", "data-entry": id, "aria-labelledby": name },
            el("h2", {}, this.head),
            this.body,
        );
        this.draw(entry);
    }

    draw(entry: EntryView): void {
        this.entry = entry;
        const { status, expanded } = entry;
        set(this.element, { "data-status": status, "aria-busy": status === "asking" ? "true" : undefined });
        set(this.head, { "aria-expanded": String(expanded) });
        this.body.hidden = !expanded;
        if (!expanded) return;
        this.drawProse(entry);
        this.rows.draw(entry.rows);
        this.error.textContent = status === "cancelled" ? this.texts.cancelled : entry.error;
        set(this.error, { class: status === "failed" ? "error" : "cancelled" });
        this.notes.replaceChildren(...entry.notes.map((note) => el("li", {}, note)));
        this.searched.textContent = entry.footer;
        const stopped = status === "failed" || status === "cancelled";
        const shown: [Element, boolean][] = [
            [this.progress, status === "asking"],
            [this.error, stopped],
            [this.retry, stopped],
            [this.prose, entry.text !== ""],
            [this.rows.element, entry.rows.length > 0],
            [this.notes, entry.notes.length > 0],
            [this.footer, status === "done"],
        ];
        arrange(
            this.body,
            shown.filter(([, show]) => show).map(([element]) => element),
        );
    }

    /** Show for a moment that the answer is on the clipboard. */
    copied(): void {
        this.copy.textContent = this.texts.copied;
        setTimeout(() => {
            this.copy.textContent = this.texts.copy;
        }, 2000);
    }

    /** Draw the text where it is another than before; a mark that has the focus keeps it. */
    private drawProse(entry: EntryView): void {
        const numbers = entry.rows.map((row) => row.n);
        const key = JSON.stringify([entry.text, entry.abstained, numbers]);
        if (this.drawnText === key) return;
        this.drawnText = key;
        const label = (n: number) => this.texts.mark.replace("{0}", String(n));
        const blocks = drawText(entry.text, new Set(numbers), label, (n) => {
            this.open(n);
        });
        set(this.prose, { "data-abstained": entry.abstained });
        const focused = this.marks().findIndex((mark) => mark === document.activeElement);
        this.prose.replaceChildren(...blocks);
        this.marks()[focused]?.focus();
    }

    private marks(): HTMLElement[] {
        return [...this.prose.querySelectorAll<HTMLElement>("button.mark")];
    }

    private open(n: number): void {
        this.rows.point(n);
        this.post({ type: "open", id: this.entry.id, n });
    }
}
