import { commands, l10n, type QuickPickItem, QuickPickItemKind, window } from "vscode";
import type { Facts } from "./facts";
import { conditionWords, folderFacts, originWords, stepWords } from "./words";

interface Row extends QuickPickItem {
    act?: () => Thenable<unknown>;
}

const doing =
    (command: string, ...args: unknown[]) =>
    (): Thenable<unknown> =>
        commands.executeCommand(command, ...args);

/** Show the facts, and what can be done; a fact that is picked does nothing. */
export async function showStatus(facts: Facts, extensionVersion: string): Promise<void> {
    const picked = await window.showQuickPick<Row>([...actionRows(facts), ...factRows(facts, extensionVersion)], {
        title: l10n.t("Codecite: {0}", [conditionWords(facts.condition), stepWords(facts)].filter(Boolean).join(", ")),
        placeHolder: "reason" in facts.server ? facts.server.reason : l10n.t("What should be done?"),
        matchOnDescription: true,
    });
    await picked?.act?.();
}

function actionRows(facts: Facts): Row[] {
    const settings: Row = {
        label: `$(gear) ${l10n.t("Open Settings")}`,
        act: doing("workbench.action.openSettings", "@ext:codecite.codecite"),
    };
    const log: Row = { label: `$(output) ${l10n.t("Show Log")}`, act: doing("codecite.showLog") };
    const restart: Row = { label: `$(debug-restart) ${l10n.t("Restart Server")}`, act: doing("codecite.restartServer") };
    const install: Row = { label: `$(cloud-download) ${l10n.t("Install Server")}`, act: doing("codecite.installServer") };
    switch (facts.server.kind) {
        case "running":
            return [
                {
                    label: `$(refresh) ${l10n.t("Reindex")}`,
                    description: l10n.t("reads what changed"),
                    act: doing("codecite.reindexWorkspace"),
                },
                {
                    label: `$(sync) ${l10n.t("Rebuild the Index")}`,
                    description: l10n.t("reads every file again"),
                    act: doing("codecite.reindexWorkspace", { full: true }),
                },
                restart,
                log,
                settings,
            ];
        case "missing":
            return [install, settings, log];
        case "failed":
            return [restart, install, log, settings];
        case "off":
        case "noFolder":
        case "starting":
            return [settings, log];
    }
}

function factRows(facts: Facts, extensionVersion: string): Row[] {
    const rows: Row[] = [];
    const heading = (label: string): void => {
        rows.push({ label, kind: QuickPickItemKind.Separator });
    };
    rows.push(...facts.problems.map((label) => ({ label: `$(error) ${label}` })));
    for (const folder of facts.folders.values()) {
        heading(folder.workspace);
        rows.push(...folderFacts(folder).map((label) => ({ label })));
    }
    heading(l10n.t("Versions"));
    rows.push({ label: l10n.t("Extension {0}", extensionVersion) });
    if (facts.server.kind === "running") {
        const { version, origin, executable } = facts.server.server;
        rows.push({ label: l10n.t("Server {0}, {1}", version, originWords(origin)), detail: executable });
    }
    return rows;
}
