import { l10n, type LogOutputChannel, ProgressLocation, Uri, window, env } from "vscode";
import { oneLine } from "./find";
import { chooseTool, type InstallFailure, installServer, InstallError, type Tool } from "./install";

/** Install the server after one yes, with progress and a way to cancel; `onInstalled` is called once it is there. */
export async function confirmAndInstall(
    storage: string,
    version: string,
    log: LogOutputChannel,
    onInstalled: () => Promise<void>,
): Promise<void> {
    const place = { storage, version, env: process.env, platform: process.platform, onLine: (line: string) => { log.info(line); } };
    const tool = await chooseTool(place);
    if (!tool) {
        const get = l10n.t("Get Python");
        const picked = await window.showErrorMessage(
            l10n.t("Installing the Codecite server needs Python 3.11 or newer, or uv; neither was found on PATH."),
            get,
        );
        if (picked) {
            await env.openExternal(Uri.parse("https://www.python.org/downloads/"));
        }
        return;
    }
    if (!(await confirm(tool, storage, version))) {
        return;
    }
    try {
        await window.withProgress(
            { location: ProgressLocation.Notification, title: l10n.t("Installing the Codecite server"), cancellable: true },
            async (progress, token) => {
                const cancel = new AbortController();
                token.onCancellationRequested(() => {
                    cancel.abort();
                });
                const steps = {
                    environment: l10n.t("making an environment"),
                    packages: l10n.t("downloading and installing packages"),
                    check: l10n.t("starting it once"),
                };
                await installServer(tool, {
                    ...place,
                    signal: cancel.signal,
                    onStep: (step) => {
                        progress.report({ message: steps[step] });
                    },
                });
            },
        );
    } catch (error) {
        await report(error, version, log);
        return;
    }
    log.info(`Server ${version} is installed in ${storage}`);
    await onInstalled();
}

async function confirm(tool: Tool, storage: string, version: string): Promise<boolean> {
    const install = l10n.t("Install");
    const detail = l10n.t(
        "Downloads the Python package codecite {0} and what it needs, about 150 MB, with {1}, from the package index that you have configured. It goes into an environment of its own, about 700 MB, in {2}. Nothing else on this machine is changed.",
        version,
        tool.kind === "uv" ? "uv" : `Python ${tool.version}`,
        storage,
    );
    const modal = { modal: true, detail };
    return (await window.showInformationMessage(l10n.t("Install the Codecite server?"), modal, install)) === install;
}

async function report(error: unknown, version: string, log: LogOutputChannel): Promise<void> {
    if (error instanceof Error && error.name === "AbortError") {
        void window.showInformationMessage(l10n.t("The installation was cancelled; nothing of it is left."));
        return;
    }
    log.error(oneLine(error));
    const words: Record<InstallFailure, string> = {
        offline: l10n.t("The package index cannot be reached, so the Codecite server was not installed; check the network or the proxy."),
        noVersion: l10n.t("The package index has no codecite {0} for this machine, so the server was not installed.", version),
        busy: l10n.t("Another window is installing the Codecite server; when it is done, restart the server here."),
        other: l10n.t("The Codecite server was not installed: {0}", oneLine(error)),
    };
    const show = l10n.t("Show Log");
    const text = words[error instanceof InstallError ? error.kind : "other"];
    if (await window.showErrorMessage(text, show)) {
        log.show();
    }
}
