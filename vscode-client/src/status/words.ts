import { l10n } from "vscode";
import type { FolderStatus } from "../protocol";
import type { Origin } from "../server/find";
import type { Condition, Facts } from "./facts";

/** Say in a few words how the whole is doing. */
export function conditionWords(condition: Condition): string {
    switch (condition) {
        case "off":
            return l10n.t("turned off");
        case "noFolder":
            return l10n.t("no folder is open");
        case "starting":
            return l10n.t("starting");
        case "missing":
            return l10n.t("the server is not installed");
        case "failed":
            return l10n.t("failed");
        case "indexing":
            return l10n.t("indexing");
        case "ready":
            return l10n.t("ready");
        case "degraded":
            return l10n.t("answers are incomplete");
        case "empty":
            return l10n.t("nothing is indexed yet");
        case "stopped":
            return l10n.t("resting; the next question starts it");
    }
}

export function originWords(origin: Origin): string {
    switch (origin) {
        case "setting":
            return l10n.t("from the setting codecite.server.path");
        case "path":
            return l10n.t("found on PATH");
        case "private":
            return l10n.t("installed by this extension");
    }
}

/** Say what is known of a folder, a line for each fact, the state first. */
export function folderFacts(folder: FolderStatus): string[] {
    const counts: string[] = [];
    if (folder.files) {
        counts.push(l10n.t("{0} files", folder.files.indexed));
    }
    if (folder.blocks) {
        counts.push(l10n.t("{0} blocks", folder.blocks.total));
    }
    if (folder.vectors) {
        counts.push(l10n.t("embedder {0}", folder.vectors.embedder));
    }
    const success = folder.last_success;
    return [
        conditionWords(folder.state),
        ...(counts.length ? [counts.join(" · ")] : []),
        ...(typeof success === "number" ? [l10n.t("last indexed {0}", new Date(success * 1000).toLocaleString())] : []),
        ...(folder.problems ?? []),
        ...(folder.degraded ?? []),
    ];
}

/** Say how far indexing is, where it goes on and is known. */
export function stepWords(facts: Facts): string | undefined {
    const step = facts.step;
    return step?.total ? l10n.t("{0} of {1}", step.done ?? 0, step.total) : undefined;
}
