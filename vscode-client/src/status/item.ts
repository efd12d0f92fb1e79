import { type Disposable, l10n, MarkdownString, StatusBarAlignment, type StatusBarItem, ThemeColor, window } from "vscode";
import type { Condition, Facts } from "./facts";
import { conditionWords, folderFacts, stepWords } from "./words";

const ICONS: Record<Condition, string> = {
    off: "circle-slash",
    noFolder: "comment-discussion",
    starting: "sync~spin",
    missing: "cloud-download",
    failed: "error",
    indexing: "sync~spin",
    ready: "comment-discussion",
    degraded: "warning",
    empty: "comment-discussion",
    stopped: "comment-discussion",
};

/** The item in the status bar: how the whole is doing, the facts for each folder on hover, and on click the rest. */
export class StatusItem implements Disposable {
    readonly #item: StatusBarItem;

    constructor() {
        this.#item = window.createStatusBarItem("codecite.status", StatusBarAlignment.Left);
        this.#item.name = l10n.t("Codecite Status");
        this.#item.command = "codecite.showStatus";
    }

    show(facts: Facts): void {
        const condition = facts.condition;
        const words = conditionWords(condition);
        const step = condition === "indexing" ? stepWords(facts) : undefined;
        this.#item.text = `$(${ICONS[condition]}) Codecite${step ? ` ${step}` : ""}`;
        this.#item.tooltip = tooltip(facts, words, step);
        this.#item.accessibilityInformation = { label: `Codecite: ${words}${step ? `, ${step}` : ""}`, role: "button" };
        this.#item.backgroundColor =
            condition === "failed"
                ? new ThemeColor("statusBarItem.errorBackground")
                : condition === "degraded" || condition === "missing"
                  ? new ThemeColor("statusBarItem.warningBackground")
                  : undefined;
        this.#item.show();
    }

    dispose(): void {
        this.#item.dispose();
    }
}

function tooltip(facts: Facts, words: string, step: string | undefined): MarkdownString {
    const text = new MarkdownString();
    const line = (words: string): void => {
        text.appendText(words).appendMarkdown("  \n");
    };
    text.appendMarkdown("**Codecite** ");
    line(step ? `${words}, ${step}` : words);
    if ("reason" in facts.server) {
        line(facts.server.reason);
    }
    facts.problems.forEach(line);
    for (const folder of facts.folders.values()) {
        text.appendMarkdown("\n---\n");
        line(folder.workspace);
        folderFacts(folder).forEach(line);
    }
    return text;
}
