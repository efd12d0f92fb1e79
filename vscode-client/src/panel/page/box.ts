import type { PageTexts } from "../messages";
import { button, el } from "./dom";

/** The box in which questions are typed. Its draft is kept by the caller. */
export class Box {
    readonly element: HTMLFormElement;
    private readonly area: HTMLTextAreaElement;
    private readonly ask: HTMLButtonElement;
    private readonly stop: HTMLButtonElement;
    private asking = false;
    private history: readonly string[] = [];
    /** Which question of the history stands in the box; -1 where what stands there was typed. */
    private recalled = -1;

    constructor(
        texts: PageTexts,
        draft: string,
        private readonly on: {
            ask: (question: string) => void;
            cancel: () => void;
            draft: (text: string) => void;
        },
    ) {
        this.area = el("textarea", {
            rows: 1,
            placeholder: texts.placeholder,
            "aria-label": texts.boxLabel,
            "data-box": true,
        });
        this.area.value = draft;
        this.area.addEventListener("input", () => {
            this.recalled = -1;
            this.changed();
        });
        this.area.addEventListener("keydown", (event) => {
            this.key(event);
        });
        this.ask = button(texts.ask, { class: "primary", "data-action": "ask" }, () => {
            this.submit();
        });
        this.stop = button(texts.cancel, { class: "secondary", "data-action": "cancel" }, () => {
            on.cancel();
            // The button goes away.
            this.focus();
        });
        this.element = el("form", { class: "box", role: "search" }, this.area, this.ask, this.stop);
        this.element.addEventListener("submit", (event) => {
            event.preventDefault();
        });
        this.draw(false, []);
    }

    /** @param history earlier questions, newest first. */
    draw(asking: boolean, history: readonly string[]): void {
        this.asking = asking;
        this.history = history;
        this.stop.hidden = !asking;
        this.changed();
    }

    focus(): void {
        this.area.focus();
    }

    private changed(): void {
        this.ask.hidden = this.asking && this.area.value.trim() === "";
        this.ask.disabled = this.area.value.trim() === "";
        this.on.draft(this.area.value);
        this.grow();
    }

    /** As high as its text, up to what the style allows. */
    private grow(): void {
        this.area.style.height = "auto";
        this.area.style.height = `${this.area.scrollHeight + 2}px`;
    }

    private key(event: KeyboardEvent): void {
        // While an input method composes, Enter is its own.
        if (isComposing(event)) return;
        const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
        if (!plain) return;
        if (event.key === "Enter") {
            event.preventDefault();
            this.submit();
        } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
            this.recall(event, event.key === "ArrowUp" ? 1 : -1);
        }
    }

    private submit(): void {
        const question = this.area.value.trim();
        if (!question) return;
        this.put("");
        this.recalled = -1;
        this.on.ask(question);
    }

    /** Walk through the history, as a shell does; a text that was typed is never replaced. */
    private recall(event: KeyboardEvent, by: number): void {
        if (this.recalled < 0 && this.area.value !== "") return;
        const to = this.recalled + by;
        if (to < -1 || to >= this.history.length) return;
        event.preventDefault();
        this.recalled = to;
        this.put(this.history[to] ?? "");
    }

    private put(text: string): void {
        this.area.value = text;
        this.area.setSelectionRange(text.length, text.length);
        this.changed();
    }
}

/** Say whether a key belongs to an input method: Safari ends the composition first and then sends the key as 229. */
export function isComposing(event: KeyboardEvent): boolean {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else tells it there
    return event.isComposing || event.keyCode === 229;
}
