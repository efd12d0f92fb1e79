import type { ExtensionContext } from "vscode";

export function activate(_context: ExtensionContext): void {
    // The parts are put together here.
}
