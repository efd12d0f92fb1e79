import type { Row } from "../messages";
import { arrange, el, set } from "./dom";
import { drawLine } from "./text";

/** The evidence of an answer: a list whose rows the arrow keys move between, one of them in the tab order. */
export class Rows {
    readonly element: HTMLOListElement;
    private readonly buttons = new Map<number, HTMLButtonElement>();
    private readonly drawn = new Map<number, string>();

    constructor(
        label: string,
        private readonly open: (n: number) => void,
    ) {
        this.element = el("ol", { class: "evidence", role: "list", "aria-label": label });
        this.element.addEventListener("keydown", (event) => {
            this.move(event);
        });
        this.element.addEventListener("focusin", (event) => {
            if (event.target instanceof HTMLButtonElement) this.rove(event.target);
        });
    }

    draw(rows: readonly Row[]): void {
        const items = rows.map((row) => {
            const button = this.buttons.get(row.n) ?? this.add(row.n);
            const json = JSON.stringify(row);
            if (this.drawn.get(row.n) !== json) {
                this.drawn.set(row.n, json);
                fillRow(button, row);
            }
            return button.parentElement ?? el("li", {}, button);
        });
        arrange(this.element, items);
        const wanted = new Set(rows.map((row) => row.n));
        for (const n of this.buttons.keys()) {
            if (wanted.has(n)) continue;
            this.buttons.delete(n);
            this.drawn.delete(n);
        }
        const all = this.all();
        const current = all.find((button) => button.tabIndex === 0) ?? all[0];
        if (current) this.rove(current);
    }

    /** Mark a row as the one that was opened last. */
    point(n: number): void {
        for (const [number, button] of this.buttons) {
            set(button, { "aria-current": number === n ? "true" : undefined });
        }
        const button = this.buttons.get(n);
        if (!button) return;
        this.rove(button);
        button.scrollIntoView({ block: "nearest" });
    }

    private add(n: number): HTMLButtonElement {
        const button = el("button", { type: "button", class: "row", "data-citation": n, tabindex: -1 });
        button.addEventListener("click", () => {
            this.open(n);
        });
        this.buttons.set(n, button);
        return button;
    }

    private all(): HTMLButtonElement[] {
        return [...this.element.querySelectorAll<HTMLButtonElement>("button.row")];
    }

    private rove(to: HTMLButtonElement): void {
        for (const button of this.all()) button.tabIndex = button === to ? 0 : -1;
    }

    private move(event: KeyboardEvent): void {
        const all = this.all();
        const at = all.findIndex((button) => button === document.activeElement);
        const last = all.length - 1;
        const to = { ArrowDown: Math.min(at + 1, last), ArrowUp: Math.max(at - 1, 0), Home: 0, End: last }[event.key];
        if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        all[to]?.focus();
    }
}

function fillRow(button: HTMLButtonElement, row: Row): void {
    set(button, {
        "aria-label": row.label,
        "aria-description": [row.why, row.hint].filter(Boolean).join(". "),
        "aria-disabled": row.state === "gone" ? "true" : undefined,
        "data-state": row.state,
        title: row.hint || undefined,
    });
    const slash = row.place.lastIndexOf("/") + 1;
    const head = el(
        "span",
        { class: "head" },
        el("span", { class: "number" }, String(row.n)),
        el(
            "span",
            { class: "place" },
            el("span", { class: "folder" }, ...breakable(row.place.slice(0, slash))),
            el("span", { class: "file" }, row.place.slice(slash)),
        ),
    );
    if (row.badge) head.append(el("span", { class: "badge" }, row.badge));
    const parts = [head];
    const about = el("span", { class: "why" }, ...drawLine(row.why));
    // Most reasons name the symbol themselves.
    if (row.symbol && !row.why.includes(`\`${row.symbol}\``)) about.prepend(el("code", {}, row.symbol), " ");
    parts.push(about);
    // What cannot be opened says so to everybody, not only to a pointer.
    if (row.state === "gone") parts.push(el("span", { class: "hint" }, row.hint));
    const code = el("span", { class: "code" });
    row.lines.forEach((line, i) => {
        code.append(
            el("span", { class: "line-number" }, String(row.firstLine + i)),
            el("span", { class: "line" }, line || " "),
        );
    });
    parts.push(code);
    button.replaceChildren(...parts);
}

/** Let a path break where its folders end, and within a name only where there is no other way. */
function breakable(folders: string): (string | HTMLElement)[] {
    return folders.split(/(?<=\/)/).flatMap((folder) => [folder, el("wbr", {})]);
}
