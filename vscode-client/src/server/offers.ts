import { commands, l10n, window } from "vscode";
import { explain } from "./explain";
import type { Trouble } from "./find";

export type ServerTrouble = Trouble | { kind: "failed"; reason: string };

/** Say once why there is no server, with the ways out. */
export async function offerWaysOut(trouble: ServerTrouble, version: string): Promise<void> {
    const install = { title: l10n.t("Install"), command: "codecite.installServer" };
    const choose = { title: l10n.t("Choose…"), command: "workbench.action.openSettings", argument: "codecite.server.path" };
    const how = {
        title: l10n.t("Show How"),
        command: "workbench.action.openWalkthrough",
        argument: "codecite.codecite#codecite.start",
    };
    const restart = { title: l10n.t("Restart"), command: "codecite.restartServer" };
    const log = { title: l10n.t("Show Log"), command: "codecite.showLog" };
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
    if (picked) {
        await commands.executeCommand(picked.command, ...("argument" in picked ? [picked.argument] : []));
    }
}
