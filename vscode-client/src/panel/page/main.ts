import type { EntryView, Examples, FromPage, PageTexts, ToPage } from "../messages";
import { Box, isComposing } from "./box";
import { arrange, button, el } from "./dom";
import { EntryElement } from "./entry";

/** What of the page outlives its being hidden. */
interface Kept {
    draft: string;
    scroll: number;
}

const vscode = acquireVsCodeApi<Kept>();
const kept: Kept = { draft: "", scroll: 0, ...vscode.getState() };

class Page {
    private readonly box: Box;
    private readonly feed: HTMLElement;
    private readonly empty = el("section", { class: "empty" });
    /** Read out when its text changes. */
    private readonly voice = el("div", { class: "voice", role: "status", "aria-live": "polite" });
    private readonly drawn = new Map<number, EntryElement>();
    private entries: EntryView[] = [];

    constructor(private readonly texts: PageTexts) {
        this.box = new Box(texts, kept.draft, {
            ask: (question) => {
                post({ type: "ask", question });
            },
            cancel: () => {
                post({ type: "cancel" });
            },
            draft: (draft) => {
                keep({ draft });
            },
        });
        this.feed = el("div", { class: "feed", role: "feed", "aria-label": texts.conversation });
        document.body.replaceChildren(this.box.element, this.empty, this.feed, this.voice);
        document.addEventListener("keydown", (event) => {
            if (event.key === "Escape" && !isComposing(event) && this.isAsking()) post({ type: "cancel" });
        });
    }

    focus(): void {
        this.box.focus();
    }

    announce(text: string): void {
        // The same words again are read out only where something differs.
        this.voice.textContent = this.voice.textContent === text ? `${text}\u00a0` : text;
    }

    copied(id: number): void {
        this.drawn.get(id)?.copied();
        this.announce(this.texts.copied);
    }

    show(entries: EntryView[], empty: Examples): void {
        this.entries = entries;
        this.drawEmpty(empty);
        const wanted = new Set(entries.map((entry) => entry.id));
        for (const id of this.drawn.keys()) {
            if (!wanted.has(id)) this.drawn.delete(id);
        }
        arrange(
            this.feed,
            entries.map((entry) => this.drawEntry(entry).element),
        );
        this.drawBox();
    }

    /** Draw one entry again; what its end has brought is read out. */
    update(entry: EntryView): void {
        const at = this.entries.findIndex((one) => one.id === entry.id);
        const before = this.entries[at];
        if (!before) return;
        this.entries[at] = entry;
        this.drawEntry(entry);
        this.drawBox();
        if (before.status === "asking" && entry.status !== "asking") this.announce(outcome(entry, this.texts));
    }

    private drawEntry(entry: EntryView): EntryElement {
        const drawn = this.drawn.get(entry.id);
        if (drawn) {
            drawn.draw(entry);
            return drawn;
        }
        const made = new EntryElement(entry, this.texts, post);
        this.drawn.set(entry.id, made);
        return made;
    }

    private drawBox(): void {
        const questions = this.entries.map((entry) => entry.question);
        this.box.draw(this.isAsking(), [...new Set(questions)]);
    }

    private isAsking(): boolean {
        return this.entries.some((entry) => entry.status === "asking");
    }

    private drawEmpty({ folderOpen, questions }: Examples): void {
        this.empty.hidden = this.entries.length > 0;
        this.box.element.hidden = !folderOpen;
        if (!folderOpen) {
            this.empty.replaceChildren(
                el("p", {}, this.texts.noFolder),
                button(this.texts.openFolder, { class: "primary", "data-action": "open-folder" }, () => {
                    post({ type: "openFolder" });
                }),
            );
            return;
        }
        const examples = questions.map((question) =>
            el(
                "li",
                {},
                button(question, { class: "example", "data-action": "example" }, () => {
                    post({ type: "ask", question });
                }),
            ),
        );
        this.empty.replaceChildren(
            el("p", {}, this.texts.welcome),
            el("h2", { id: "examples" }, this.texts.examples),
            el("ul", { "aria-labelledby": "examples" }, ...examples),
        );
    }
}

function outcome(entry: EntryView, texts: PageTexts): string {
    switch (entry.status) {
        case "failed":
            return entry.error;
        case "cancelled":
            return texts.cancelled;
        case "asking":
        case "done":
            return entry.summary;
    }
}

function post(message: FromPage): void {
    vscode.postMessage(message);
}

function keep(changes: Partial<Kept>): void {
    vscode.setState(Object.assign(kept, changes));
}

let page: Page | undefined;
window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
    switch (data.type) {
        case "show":
            if (page) page.show(data.entries, data.empty);
            else {
                page = new Page(data.texts);
                page.show(data.entries, data.empty);
                window.scrollTo({ top: kept.scroll });
            }
            break;
        case "entry":
            page?.update(data.entry);
            break;
        case "announce":
            page?.announce(data.text);
            break;
        case "copied":
            page?.copied(data.id);
            break;
        case "focus":
            page?.focus();
            break;
    }
});
window.addEventListener("scrollend", () => {
    if (page) keep({ scroll: window.scrollY });
});
post({ type: "ready" });
