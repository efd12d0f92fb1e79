import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import type { Codebase } from "../codebase";
import type { AskParams } from "../protocol";
import { Conversation, type Entry } from "./conversation";
import { asMarkdown } from "./copying";
import { Following } from "./following";
import { html, roots } from "./html";
import { type FromPage, type ToPage, fromPage } from "./messages";
import { Opening } from "./opening";
import { present } from "./present";
import { texts } from "./texts";

const VIEW = "codecite.answer";
/** Where the conversation is kept, in the storage of the workspace. */
const KEPT = "codecite.answer.conversation";
/** How long a click waits for the lines to be checked once more; a server that hangs keeps nobody from jumping. */
const LONGEST_CHECK_MS = 1000;

/**
 * The panel in which questions are asked and answered. The state is here, the page only draws it: it is made anew
 * whenever the panel is shown.
 */
export class AnswerView implements vscode.WebviewViewProvider, vscode.Disposable {
    private readonly words = texts();
    private readonly conversation: Conversation;
    private readonly following: Following;
    private readonly opening = new Opening();
    private readonly disposables: { dispose(): unknown }[];
    private view: vscode.WebviewView | undefined;
    /** The page has said that it listens. */
    private listening = false;
    private wantsFocus = false;
    private running: vscode.CancellationTokenSource | undefined;

    constructor(
        private readonly context: vscode.ExtensionContext,
        private readonly codebase: Codebase,
    ) {
        this.conversation = Conversation.fromStored(context.workspaceState.get(KEPT));
        this.following = new Following(
            codebase,
            () => (this.view?.visible ? this.conversation.entries.filter((entry) => entry.expanded) : []),
            (entry) => {
                this.draw(entry);
            },
        );
        this.disposables = [
            this.following,
            this.opening,
            vscode.workspace.onDidChangeWorkspaceFolders(() => {
                this.drawAll();
                this.following.soon();
            }),
        ];
    }

    resolveWebviewView(view: vscode.WebviewView): void {
        this.view = view;
        this.listening = false;
        const { webview } = view;
        webview.options = { enableScripts: true, localResourceRoots: roots(this.context.extensionUri) };
        webview.onDidReceiveMessage((message: unknown) => {
            const known = fromPage(message);
            if (known) this.receive(known).catch(showError);
        });
        view.onDidDispose(() => {
            if (this.view === view) this.view = undefined;
        });
        webview.html = html(webview, this.context.extensionUri);
    }

    /** Bring the panel up and answer a question there; resolves when it is answered, cancelled or has failed. */
    async ask(params: AskParams): Promise<void> {
        const question = params.question.trim();
        await this.reveal();
        if (!question) return;
        this.cancel();
        const cancellation = (this.running = new vscode.CancellationTokenSource());
        const asked = { ...params, question };
        const entry = this.conversation.begin(asked);
        this.drawAll();
        try {
            const answer = await this.codebase.ask(
                asked,
                (partial) => {
                    if (this.conversation.show(entry, partial, "asking")) this.draw(entry);
                },
                cancellation.token,
            );
            this.conversation.show(entry, answer, "done");
        } catch (error) {
            if (error instanceof vscode.CancellationError) this.conversation.end(entry, "cancelled");
            else this.conversation.end(entry, "failed", error instanceof Error ? error.message : String(error));
        } finally {
            cancellation.dispose();
            if (this.running === cancellation) this.running = undefined;
        }
        this.draw(entry);
        // The text may have changed while the answer was on its way.
        this.following.soon();
        await this.keep();
    }

    /** Put the newest answer on the clipboard, as Markdown. */
    async copyAnswer(): Promise<void> {
        await this.copy(this.conversation.latest);
    }

    /** Forget all questions and answers of this workspace. */
    async clearHistory(): Promise<void> {
        this.cancel();
        this.conversation.clear();
        this.opening.clear();
        this.drawAll();
        await this.keep();
    }

    dispose(): void {
        this.running?.cancel();
        for (const one of this.disposables) one.dispose();
    }

    private async receive(message: FromPage): Promise<void> {
        if ("id" in message) {
            const entry = this.conversation.find(message.id);
            if (entry) await this.receiveFor(entry, message);
            return;
        }
        switch (message.type) {
            case "ready":
                this.listening = true;
                this.drawAll();
                if (this.wantsFocus) this.post({ type: "focus" });
                this.wantsFocus = false;
                this.following.soon();
                return;
            case "ask":
                await this.ask({ question: message.question });
                return;
            case "cancel":
                this.cancel();
                return;
            case "openFolder":
                await vscode.commands.executeCommand("workbench.action.files.openFolder");
                return;
        }
    }

    private async receiveFor(entry: Entry, message: Extract<FromPage, { id: number }>): Promise<void> {
        switch (message.type) {
            case "again":
                await this.ask(entry.params);
                return;
            case "toggle":
                entry.expanded = message.expanded;
                this.draw(entry);
                if (message.expanded) this.following.soon();
                return;
            case "open":
                await this.open(entry, message.n);
                return;
            case "copy":
                await this.copy(entry);
        }
    }

    /** Open a citation at the lines of now; of what is gone, say so. */
    private async open(entry: Entry, n: number): Promise<void> {
        await Promise.race([this.following.now(), pause(LONGEST_CHECK_MS)]);
        const citation = entry.shown.find((one) => one.n === n);
        if (!citation) return;
        if (!citation.location || citation.state === "gone") {
            this.announce(this.words.hints.gone);
            return;
        }
        await this.opening.open({ location: citation.location, selection: citation.selection });
    }

    /** Stop the question that is being asked; it is over for the reader whenever the server takes note. */
    private cancel(): void {
        this.running?.cancel();
        const entry = this.conversation.entries.find((one) => one.status === "asking");
        if (entry && this.conversation.end(entry, "cancelled")) this.draw(entry);
    }

    private async copy(entry: Entry | undefined): Promise<void> {
        if (!entry?.answer) {
            void vscode.window.showInformationMessage(this.words.nothingToCopy);
            return;
        }
        await vscode.env.clipboard.writeText(asMarkdown(entry, this.words.badges));
        this.post({ type: "copied", id: entry.id });
    }

    private async reveal(): Promise<void> {
        if (this.view?.visible) return;
        this.wantsFocus = true;
        await vscode.commands.executeCommand(`${VIEW}.focus`);
    }

    private announce(text: string): void {
        this.post({ type: "announce", text });
    }

    private draw(entry: Entry): void {
        if (this.conversation.find(entry.id)) this.post({ type: "entry", entry: present(entry, this.words) });
    }

    private drawAll(): void {
        this.post({
            type: "show",
            texts: this.words.page,
            empty: {
                folderOpen: (vscode.workspace.workspaceFolders ?? []).length > 0,
                questions: this.words.examples,
            },
            entries: this.conversation.entries.map((entry) => present(entry, this.words)),
        });
    }

    private post(message: ToPage): void {
        if (this.listening) void this.view?.webview.postMessage(message);
    }

    private async keep(): Promise<void> {
        await this.context.workspaceState.update(KEPT, this.conversation.toStored());
    }
}

function showError(error: unknown): void {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
}
