/** Run the tests, one after the other: `node run.mjs [PATTERN]` runs those whose file names match. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HERE, OUTPUT } from "./lib/places.mjs";

mkdirSync(OUTPUT, { recursive: true });
const pattern = new RegExp(process.argv[2] ?? "");
const files = readdirSync(HERE).filter((name) => name.endsWith(".test.mjs") && pattern.test(name));
const { status } = spawnSync(
    process.execPath,
    [
        "--test",
        "--test-concurrency=1",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        // Its end is the summary, whatever failed.
        "--test-reporter=tap",
        `--test-reporter-destination=${join(OUTPUT, "results.tap")}`,
        ...files,
    ],
    { cwd: HERE, stdio: "inherit" },
);
process.exit(status ?? 1);
