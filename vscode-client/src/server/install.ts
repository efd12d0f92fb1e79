import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { oneLine, onPath, privateEnvironment, PROGRAM, programIn, stampOf, versionOf } from "./find";
import { run } from "./run";

/** What makes the environment: uv, or a Python with its venv and pip. */
export type Tool =
    | { kind: "uv"; executable: string }
    /** `args` come before those of Python itself: the version for Windows' launcher. */
    | { kind: "python"; executable: string; args: readonly string[]; version: string };

export type InstallFailure = "offline" | "noVersion" | "busy" | "other";

/** An installation failed; the message is one line of what the tool said. */
export class InstallError extends Error {
    constructor(
        readonly kind: InstallFailure,
        message: string,
    ) {
        super(message);
    }
}

export interface Place {
    /** The extension's own storage, under which the environment is made. */
    storage: string;
    /** The version to install: the extension's. */
    version: string;
    /** Given to the tools as it is, so that the user's settings of pip, uv and proxies count. */
    env: NodeJS.ProcessEnv;
    platform: NodeJS.Platform;
    onLine: (line: string) => void;
}

export interface Installation extends Place {
    /** Cancels: what was started is ended, what was made is removed, and the promise rejects with an AbortError. */
    signal: AbortSignal;
    onStep: (step: "environment" | "packages" | "check") => void;
}

const OLDEST_PYTHON: readonly [number, number] = [3, 11];
const ASK_VERSION = "import platform; print(platform.python_version())";

/** Find what can make the environment: uv, else the first Python that is new enough; undefined where there is neither. */
export async function chooseTool(place: Place): Promise<Tool | undefined> {
    await mkdir(place.storage, { recursive: true });
    const around = { env: place.env, platform: place.platform, distrusted: [] };
    const uv = await onPath("uv", around);
    if (uv) {
        return { kind: "uv", executable: uv };
    }
    const names = ["python3", "python", ...["3.14", "3.13", "3.12", "3.11"].map((version) => `python${version}`)];
    const tries: [string, string[]][] = names.map((name) => [name, []]);
    if (place.platform === "win32") {
        tries.unshift(["py", ["-3"]]);
    }
    for (const [name, args] of tries) {
        const executable = await onPath(name, around);
        const version = executable && (await pythonVersion(executable, args, place));
        if (executable && version) {
            return { kind: "python", executable, args, version };
        }
    }
    return undefined;
}

/** Return the version of a Python that is new enough. */
async function pythonVersion(executable: string, args: readonly string[], place: Place): Promise<string | undefined> {
    try {
        const options = { cwd: place.storage, env: place.env, signal: AbortSignal.timeout(30_000) };
        const { code, output } = await run(executable, [...args, "-c", ASK_VERSION], options);
        const [version, major, minor] = /^(\d+)\.(\d+)\.\S+$/m.exec(output) ?? [];
        const [oldestMajor, oldestMinor] = OLDEST_PYTHON;
        const fits = Number(major) === oldestMajor && Number(minor) >= oldestMinor;
        return code === 0 && fits ? version : undefined;
    } catch (error) {
        place.onLine(`${executable}: ${oneLine(error)}`); // a name without a Python behind it, as on Windows
        return undefined;
    }
}

/**
 * Make the private environment of this version, whole or not at all, and remove those of other versions. Rejects with
 * an InstallError, or an AbortError where it was cancelled.
 */
export async function installServer(tool: Tool, work: Installation): Promise<void> {
    await mkdir(work.storage, { recursive: true });
    const lock = await hold(work.storage);
    try {
        await make(tool, work);
    } finally {
        await rm(lock, { force: true });
    }
}

/** Keep other windows from making an environment meanwhile; returns the file to remove afterwards. */
async function hold(storage: string): Promise<string> {
    const lock = path.join(storage, "installing");
    for (;;) {
        try {
            await writeFile(lock, String(process.pid), { flag: "wx" });
            return lock;
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
                throw error;
            }
        }
        if (isRunning(Number(await readFile(lock, "utf8").catch(() => "")))) {
            throw new InstallError("busy", "another window installs the server");
        }
        await rm(lock, { force: true }); // of a window that ended before it could
    }
}

function isRunning(pid: number): boolean {
    try {
        return pid > 0 && process.kill(pid, 0);
    } catch (error) {
        return (error as NodeJS.ErrnoException).code === "EPERM"; // it is there, and somebody else's
    }
}

async function make(tool: Tool, work: Installation): Promise<void> {
    const environment = privateEnvironment(work.storage, work.version);
    await rm(environment, { recursive: true, force: true });
    try {
        await fill(tool, environment, work);
        work.signal.throwIfAborted();
        await writeFile(stampOf(environment), `${work.version}\n`);
    } catch (error) {
        await rm(environment, { recursive: true, force: true, maxRetries: 3 });
        throw error;
    }
    await removeOthers(environment, work);
}

async function fill(tool: Tool, environment: string, work: Installation): Promise<void> {
    const requirement = `${PROGRAM}==${work.version}`;
    const python = programIn(environment, "python", work.platform);
    work.onStep("environment");
    if (tool.kind === "uv") {
        await step(tool.executable, ["venv", "--python", `>=${OLDEST_PYTHON.join(".")}`, environment], work);
        work.onStep("packages");
        await step(tool.executable, ["pip", "install", "--python", python, requirement], work);
    } else {
        await step(tool.executable, [...tool.args, "-m", "venv", environment], work);
        work.onStep("packages");
        const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", requirement];
        await step(python, pip, work);
    }
    work.onStep("check");
    try {
        await versionOf(programIn(environment, PROGRAM, work.platform), work.storage, 120_000);
    } catch (error) {
        throw new InstallError("other", oneLine(error));
    }
}

async function step(executable: string, args: readonly string[], work: Installation): Promise<void> {
    work.onLine(`${executable} ${args.join(" ")}`);
    const { storage: cwd, env, signal, onLine } = work;
    const { code, output } = await run(executable, args, { cwd, env, signal, onLine });
    if (code !== 0) {
        throw new InstallError(failureOf(output), lastLine(output) ?? `exit code ${String(code)}`);
    }
}

/** Tell from what pip or uv printed why it failed. Offline comes first: pip then also finds no version. */
export function failureOf(output: string): InstallFailure {
    if (OFFLINE.test(output)) {
        return "offline";
    }
    return NO_VERSION.test(output) ? "noVersion" : "other";
}

const OFFLINE = new RegExp(
    [
        "NewConnectionError",
        "NameResolutionError",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "ProxyError",
        "Failed to establish a new connection",
        "error sending request",
        "dns error",
        "Network is unreachable",
        "Connection refused",
        "Network connectivity is disabled", // uv, told to stay offline
    ].join("|"),
    "i",
);
const NO_VERSION = new RegExp(
    [
        "No matching distribution found for codecite==",
        "there is no version of codecite==",
        "codecite was not found in the (package registry|provided package locations)",
        "codecite==\\S+ has no (usable )?wheels",
    ].join("|"),
    "i",
);

function lastLine(output: string): string | undefined {
    return output
        .split("\n")
        .map((line) => line.trim())
        .findLast(Boolean);
}

async function removeOthers(kept: string, { storage, onLine }: Installation): Promise<void> {
    for (const name of await readdir(storage)) {
        const old = path.join(storage, name);
        if (!name.startsWith("server-") || old === kept) {
            continue;
        }
        try {
            await rm(old, { recursive: true, force: true });
        } catch (error) {
            onLine(`${old} is left: ${oneLine(error)}`); // another window runs it, on Windows
        }
    }
}
