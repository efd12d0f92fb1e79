import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { run } from "./run";

/** Where a server was found: named by the setting, on PATH, or in the extension's private environment. */
export type Origin = "setting" | "path" | "private";

export interface Candidate {
    executable: string;
    origin: Origin;
}

/** A server that answered with its version, and fits. */
export interface FoundServer extends Candidate {
    version: string;
}

export type Finding =
    | { kind: "found"; server: FoundServer }
    | { kind: "missing" }
    /** The setting names no program. */
    | { kind: "wrongSetting"; value: string }
    /** It does not start, or does not say its version; `reason` is one line. */
    | { kind: "broken"; candidate: Candidate; reason: string }
    | { kind: "otherVersion"; server: FoundServer };

export type Trouble = Exclude<Finding, { kind: "found" }>;

export interface Surroundings {
    /** The value of `codecite.server.path`; empty where it is not set. */
    setting: string;
    env: NodeJS.ProcessEnv;
    platform: NodeJS.Platform;
    /** Folders in which nothing is taken from PATH: those of a workspace that is not trusted. */
    distrusted: readonly string[];
    /** The extension's own storage: holds the private environments, and is where programs run. */
    storage: string;
    /** The extension's version. */
    version: string;
}

export const PROGRAM = "codecite";

/** For a first start on a slow disk that a virus scanner reads along with. */
const START_MILLISECONDS = 60_000;

/** Find the server to start: the setting alone where it is set, else the first that fits, on PATH, then private. */
export async function findServer(
    around: Surroundings,
    onPassedOver: (finding: Trouble) => void,
    versionOfProgram: typeof versionOf = versionOf,
): Promise<Finding> {
    let first: Trouble | undefined;
    for (const candidate of await candidates(around)) {
        const finding = await examine(candidate, around, versionOfProgram);
        if (finding.kind === "found") {
            return finding;
        }
        onPassedOver(finding);
        first ??= finding;
    }
    return first ?? (around.setting ? { kind: "wrongSetting", value: around.setting } : { kind: "missing" });
}

/** Return the servers that there are, in the order in which they are tried; none of them was started yet. */
export async function candidates(around: Surroundings): Promise<Candidate[]> {
    const setting = around.setting.trim();
    if (setting) {
        const executable = path.isAbsolute(setting)
            ? (await isProgram(setting, around.platform))
                ? setting
                : undefined
            : await onPath(setting, around);
        return executable ? [{ executable, origin: "setting" }] : [];
    }
    const found: Candidate[] = [];
    const executable = await onPath(PROGRAM, around);
    if (executable) {
        found.push({ executable, origin: "path" });
    }
    const environment = privateEnvironment(around.storage, around.version);
    if (await isComplete(environment, around.version)) {
        found.push({ executable: programIn(environment, PROGRAM, around.platform), origin: "private" });
    }
    return found;
}

/** Look a bare name up on PATH; entries that are relative, or in a distrusted folder, are passed over. */
export async function onPath(
    name: string,
    around: Pick<Surroundings, "env" | "platform" | "distrusted">,
): Promise<string | undefined> {
    if (!name || /[/\\]/.test(name)) {
        return undefined;
    }
    const windows = around.platform === "win32";
    for (const entry of pathEntries(around.env, around.platform)) {
        if (!path.isAbsolute(entry) || around.distrusted.some((folder) => isInside(entry, folder, windows))) {
            continue;
        }
        for (const extension of windows ? windowsExtensions(name, around.env) : [""]) {
            const executable = path.join(entry, name + extension);
            if (await isProgram(executable, around.platform)) {
                return executable;
            }
        }
    }
    return undefined;
}

function pathEntries(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
    const key = platform === "win32" ? Object.keys(env).find((name) => name.toUpperCase() === "PATH") : "PATH";
    return ((key && env[key]) ?? "")
        .split(platform === "win32" ? ";" : ":")
        .map((entry) => (platform === "win32" ? entry.replace(/^"(.*)"$/, "$1") : entry))
        .filter(Boolean);
}

/** Node starts .exe and .com without a shell, .bat and .cmd only through one, so those are not taken. */
function windowsExtensions(name: string, env: NodeJS.ProcessEnv): string[] {
    const able = (extension: string): boolean => /^\.(exe|com)$/i.test(extension);
    const wanted = (env.PATHEXT ?? ".COM;.EXE").split(";").filter(able);
    return able(path.extname(name)) ? ["", ...wanted] : wanted;
}

function isInside(entry: string, folder: string, ignoreCase: boolean): boolean {
    const [inner, outer] = ignoreCase ? [entry.toLowerCase(), folder.toLowerCase()] : [entry, folder];
    const way = path.relative(outer, inner);
    return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

async function isProgram(file: string, platform: NodeJS.Platform): Promise<boolean> {
    try {
        if (!(await stat(file)).isFile()) {
            return false;
        }
        await access(file, platform === "win32" ? constants.F_OK : constants.X_OK);
        return true;
    } catch {
        return false; // not there, or not for us: both mean that it is not a program here
    }
}

/** Ask a candidate for its version. */
async function examine(candidate: Candidate, around: Surroundings, ask: typeof versionOf): Promise<Finding> {
    let version: string;
    try {
        version = await ask(candidate.executable, around.storage, START_MILLISECONDS);
    } catch (error) {
        return { kind: "broken", candidate, reason: oneLine(error) };
    }
    const server = { ...candidate, version };
    return { kind: sameMinor(version, around.version) ? "found" : "otherVersion", server };
}

/** Ask a server for its version. Rejects with a line that says why there is none. */
export async function versionOf(executable: string, cwd: string, timeout: number): Promise<string> {
    const { code, output } = await run(executable, ["--version"], { cwd, signal: AbortSignal.timeout(timeout) });
    const version = /^codecite (\d+\.\d+\S*)$/m.exec(output)?.[1];
    if (code !== 0 || !version) {
        const last = output.trim().split("\n").at(-1);
        throw new Error(last ? last.trim() : `exit code ${String(code)}`);
    }
    return version;
}

/** Whether two versions may talk to each other: major and minor are the same. */
export function sameMinor(one: string, other: string): boolean {
    const minor = (version: string): string | undefined => /^\d+\.\d+/.exec(version)?.[0];
    return minor(one) !== undefined && minor(one) === minor(other);
}

export function privateEnvironment(storage: string, version: string): string {
    return path.join(storage, `server-${version}`);
}

/** The file that is written last into a private environment, with its version: without it there is none. */
export function stampOf(environment: string): string {
    return path.join(environment, "complete");
}

async function isComplete(environment: string, version: string): Promise<boolean> {
    try {
        return (await readFile(stampOf(environment), "utf8")).trim() === version;
    } catch {
        return false; // no stamp: there is none, or it is half made
    }
}

/** A program of a Python environment. */
export function programIn(environment: string, name: string, platform: NodeJS.Platform): string {
    return platform === "win32" ? path.join(environment, "Scripts", `${name}.exe`) : path.join(environment, "bin", name);
}

export function oneLine(error: unknown): string {
    return (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, " ").trim();
}
