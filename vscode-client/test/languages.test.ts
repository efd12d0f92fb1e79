import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { PROJECT } from "./support/programs";

type Texts = Record<string, string>;

const read = (file: string): Texts => JSON.parse(readFileSync(path.join(PROJECT, file), "utf8")) as Texts;
/** What is the same in any language: placeholders, code and the targets of links. */
const placeholders = (text: string): string[] => (text.match(/\{\d+\}|`[^`]*`|\]\([^)]*\)/g) ?? []).sort();

/** Collect the first argument of every call of `t` and `l10n.t`; it must be a plain string, or it is never found. */
function said(): Set<string> {
    const texts = new Set<string>();
    const folder = path.join(PROJECT, "src");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))) {
        const source = ts.createSourceFile(file, readFileSync(path.join(folder, file), "utf8"), ts.ScriptTarget.Latest);
        const visit = (node: ts.Node): void => {
            if (ts.isCallExpression(node) && /^(t|(vscode\.)?l10n\.t)$/.test(node.expression.getText(source))) {
                const [text] = node.arguments;
                assert.ok(text && ts.isStringLiteral(text), `${file}: ${node.getText(source)}`);
                texts.add(text.text);
            }
            ts.forEachChild(node, visit);
        };
        visit(source);
    }
    return texts;
}

/** Whatever package.json names in percent signs. */
function named(): Set<string> {
    return new Set([...readFileSync(path.join(PROJECT, "package.json"), "utf8").matchAll(/"%([^%"]+)%"/g)].map(([, name]) => name ?? ""));
}

function sameTexts(english: Texts, chinese: Texts): void {
    assert.deepEqual(Object.keys(chinese).sort(), Object.keys(english).sort());
    for (const [name, text] of Object.entries(english)) {
        const translated = chinese[name] ?? "";
        assert.ok(translated.trim(), name);
        assert.deepEqual(placeholders(translated), placeholders(text), name);
    }
}

void test("what the code says is in the Chinese bundle, and nothing else is", () => {
    const english = Object.fromEntries([...said()].map((text) => [text, text]));
    assert.ok(Object.keys(english).length > 50);
    sameTexts(english, read("l10n/bundle.l10n.zh-cn.json"));
});

void test("what package.json names is in both languages, and nothing else is", () => {
    const english = read("package.nls.json");
    assert.deepEqual(Object.keys(english).sort(), [...named()].sort());
    sameTexts(english, read("package.nls.zh-cn.json"));
});
