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
    const vectors = field(folder.vectors, "embedder");
    if (vectors) {
        counts.push(l10n.t("embedder {0}", vectors));
    }
    const success = folder.last_success;
    const when = typeof success === "string" || typeof success === "number" ? time(success) : undefined;
    return [
        conditionWords(folder.state),
        ...(counts.length ? [counts.join(" · ")] : []),
        ...(when ? [l10n.t("last indexed {0}", when)] : []),
        ...(folder.problems ?? []),
        ...(folder.degraded ?? []),
    ];
}

/** Say how far indexing is, where it goes on and is known. */
export function stepWords(facts: Facts): string | undefined {
    const step = facts.step;
    return step?.total ? l10n.t("{0} of {1}", step.done ?? 0, step.total) : undefined;
}

function field(value: unknown, name: string): string | undefined {
    const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
    return typeof found === "string" ? found : undefined;
}

/** A time as the engine writes it: ISO 8601, or seconds since 1970. */
function time(value: string | number): string | undefined {
    const date = new Date(typeof value === "number" ? value * 1000 : value);
    return Number.isNaN(date.getTime()) ? undefined : date.toLocaleString();
}
