import { l10n } from "vscode";
import type { Trouble } from "./find";

/** Say in one line why there is no server. */
export function explain(finding: Trouble, version: string): string {
    switch (finding.kind) {
        case "missing":
            return l10n.t("The Codecite server is not installed.");
        case "wrongSetting":
            return l10n.t(
                "The setting codecite.server.path is “{0}”, which is no program here; give an absolute path or a name on PATH.",
                finding.value,
            );
        case "broken":
            return l10n.t("{0} does not run: {1}", finding.candidate.executable, finding.reason);
        case "otherVersion":
            return l10n.t(
                "{0} is version {1}, this extension needs {2}.",
                finding.server.executable,
                finding.server.version,
                `${version.split(".").slice(0, 2).join(".")}.x`,
            );
    }
}
