import { CancellationTokenSource, env, ProgressLocation, window, workspace } from "vscode";
import type { Codebase } from "./codebase";
import type { AskParams } from "./protocol";

/** Shows answers as a Markdown document. */
export class PlainAnswers {
    #last = "";

    constructor(private readonly codebase: Codebase) {}

    async ask(params: AskParams): Promise<void> {
        const cancel = new CancellationTokenSource();
        const answer = await window.withProgress({ location: ProgressLocation.Window, title: params.question }, () =>
            this.codebase.ask(params, () => undefined, cancel.token),
        );
        this.#last = `# ${answer.question}\n\n${answer.text}\n`;
        await window.showTextDocument(await workspace.openTextDocument({ language: "markdown", content: this.#last }));
    }

    async copyAnswer(): Promise<void> {
        await env.clipboard.writeText(this.#last);
    }

    clearHistory(): Promise<void> {
        this.#last = "";
        return Promise.resolve();
    }
}
