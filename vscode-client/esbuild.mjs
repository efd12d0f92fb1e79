// Bundles the extension (Node, CommonJS) and the page of the answer panel (browser) into dist/,
// or with --tests every test of test/ into dist-tests/.
import { rm } from "node:fs/promises";
import process from "node:process";
import esbuild from "esbuild";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

const shared = {
    bundle: true,
    minify: production,
    sourcemap: production ? false : "linked",
    logLevel: "warning",
    target: "es2022",
};
const extension = {
    ...shared,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    format: "cjs",
    external: ["vscode"],
};
const page = {
    ...shared,
    entryPoints: ["src/panel/page/main.ts", "src/panel/page/style.css"],
    outdir: "dist/page",
    platform: "browser",
    format: "iife",
};
const tests = {
    ...shared,
    entryPoints: ["test/**/*.test.ts"],
    outdir: "dist-tests",
    platform: "node",
    format: "cjs",
    sourcemap: "inline",
    // Tests run without an editor.
    external: ["typescript"],
    alias: { vscode: "./test/support/vscode.ts" },
};

const wanted = process.argv.includes("--tests") ? [tests] : [extension, page];
if (watch) {
    await Promise.all(wanted.map(async (one) => (await esbuild.context(one)).watch()));
} else {
    await Promise.all(wanted.map((one) => rm(one.outdir ?? "dist", { recursive: true, force: true })));
    await Promise.all(wanted.map((one) => esbuild.build(one)));
}
