import * as vscode from "vscode";
import type { Texts } from "./present";

/** The words of the panel in the language of the editor. */
export function texts(): Texts {
    const { t } = vscode.l10n;
    return {
        page: {
            placeholder: t("Ask about this code…"),
            boxLabel: t("Question about the code"),
            ask: t("Ask"),
            cancel: t("Cancel"),
            retry: t("Retry"),
            askAgain: t("Ask again"),
            copy: t("Copy"),
            copied: t("Copied"),
            asking: t("Looking for evidence…"),
            cancelled: t("Cancelled."),
            welcome: t("Ask about this code, in your own words. Every answer shows where it stands."),
            examples: t("For example"),
            noFolder: t("Open a folder to ask about its code."),
            openFolder: t("Open Folder"),
            conversation: t("Questions and answers"),
            evidence: t("Evidence"),
            mark: t("Citation {0}"),
        },
        examples: [
            t("Where is the configuration read?"),
            t("What happens when a request fails?"),
            t("Which tests cover the parser?"),
        ],
        badges: { moved: t("moved"), changed: t("changed"), gone: t("gone") },
        hints: {
            moved: t("This code has moved since the answer; the lines are those of now."),
            changed: t("This code has changed since the answer."),
            gone: t("This code is no longer there."),
        },
        lines: t("lines {0} to {1}"),
        line: t("line {0}"),
        found: t("Answer with {0} pieces of evidence."),
        foundOne: t("Answer with one piece of evidence."),
        foundNothing: t("No evidence found."),
        searched: t("Searched {0} files"),
        searchedOne: t("Searched one file"),
        nothingToCopy: t("There is no answer to copy yet."),
        notChecked: t("The lines could not be checked: {0}"),
    };
}
