import { commands, ConfigurationTarget, l10n, window, workspace } from "vscode";
import { explain } from "./explain";
import type { Trouble } from "./find";

export type ServerTrouble = Trouble | { kind: "failed"; reason: string };

/** Say once why there is no server, with the ways out. */
export async function offerWaysOut(trouble: ServerTrouble, version: string): Promise<void> {
    const command = (title: string, name: string, ...args: string[]) => ({
        title,
        take: () => commands.executeCommand(name, ...args),
    });
    const install = command(l10n.t("Install"), "codecite.installServer");
    const choose = { title: l10n.t("Choose…"), take: chooseServer };
    const how = command(l10n.t("Show How"), "workbench.action.openWalkthrough", "codecite.codecite#codecite.start");
    const restart = command(l10n.t("Restart"), "codecite.restartServer");
    const log = command(l10n.t("Show Log"), "codecite.showLog");
    const picked =
        trouble.kind === "failed"
            ? await window.showErrorMessage(trouble.reason, restart, log)
            : trouble.kind === "missing"
              ? await window.showWarningMessage(explain(trouble, version), install, choose, how)
              : await window.showErrorMessage(
                    explain(trouble, version),
                    ...(trouble.kind === "wrongSetting" ? [] : [install]),
                    choose,
                    how,
                );
    await picked?.take();
}

/** Let a program be picked, and make it the setting, which starts it. */
async function chooseServer(): Promise<void> {
    const title = l10n.t("Choose the program codecite");
    const picked = await window.showOpenDialog({
        title,
        openLabel: l10n.t("Choose"),
        ...(process.platform === "win32" ? { filters: { [title]: ["exe"] } } : {}),
    });
    if (picked?.[0]) {
        const path = picked[0].fsPath;
        await workspace.getConfiguration("codecite").update("server.path", path, ConfigurationTarget.Global);
    }
}
