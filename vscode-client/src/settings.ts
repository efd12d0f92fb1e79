import { type ConfigurationScope, workspace } from "vscode";

const values = (scope?: ConfigurationScope) => workspace.getConfiguration("codecite", scope);

/** The settings as they are now; package.json says what each means and where it may be set. */
export const settings = {
    enabled: (): boolean => values().get("enabled", true),
    serverPath: (): string => values().get("server.path", "").trim(),
    hover: (scope: ConfigurationScope): boolean => values(scope).get("hover.enabled", true),
    workspaceSymbols: (): boolean => values().get("workspaceSymbols.enabled", true),
    /** Between 1 and 50, whatever was typed. */
    maxCitations: (): number => {
        const wanted = Math.round(values().get("ask.maxCitations", 8));
        return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 1), 50) : 8;
    },
};
