import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** The folders that the page may read. */
export function roots(extension: vscode.Uri): vscode.Uri[] {
    return [vscode.Uri.joinPath(extension, "dist", "page"), vscode.Uri.joinPath(extension, "media")];
}

/** The document of the page: its script and its style, and no way to load anything else. */
export function html(webview: vscode.Webview, extension: vscode.Uri): string {
    const nonce = randomBytes(16).toString("base64url");
    const file = (name: string) =>
        webview.asWebviewUri(vscode.Uri.joinPath(extension, "dist", "page", name)).toString();
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
    return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, "")}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("style.css")}">
<title>codecite</title>
</head>
<body>
<script nonce="${nonce}" src="${file("main.js")}"></script>
</body>
</html>
`;
}
