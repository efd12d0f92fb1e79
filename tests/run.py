"""Run every check of the project: `python3 tests/run.py`.

The first run makes a virtual environment in `.venv` (unless this is one already) and installs the project with its
development tools, and those of the VS Code extension where Node is there; later runs install again only when
pyproject.toml or package-lock.json has changed. Then come lint, format, types, layers and docs, the extension's own
checks, and the tests last, so that their summary is the last line. All of them run even when one fails; the exit code is
0 only when none did.

    python3 tests/run.py                     everything
    python3 tests/run.py --fast              lint of changed files, types, then quick tests up to the first failure
    python3 tests/run.py -k anchors -x       other arguments go to pytest
    python3 tests/run.py --fast tests/cli    both

Only the standard library is used, on any Python that can at least say what it lacks.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

OLDEST = (3, 11)
TOP = Path(__file__).resolve().parent.parent
VENV = TOP / ".venv"
CLIENT = TOP / "vscode-client"
OLDEST_NODE = 20
FAST = "--fast"


def main(arguments: list[str]) -> int:
    """Set up, run the checks, and return the exit code."""
    os.chdir(TOP)
    python = Path(sys.executable) if sys.prefix != sys.base_prefix else _environment()
    _install(python)
    fast = FAST in arguments
    extra = [argument for argument in arguments if argument != FAST]
    failed = [name for name, command in _checks(python, fast=fast) if not _check(name, command)]
    if not fast and not _client_is_sound():
        failed.append("extension")
    if failed:
        print(f"\nFAILED so far: {', '.join(failed)}")
    _heading("pytest")
    options = ["-x", "-q", "-m", "not slow"] if fast else []
    tests = _run([str(python), "-m", "pytest", *options, *extra])
    return tests or int(bool(failed))


def _checks(python: Path, *, fast: bool) -> list[tuple[str, list[str]]]:
    """Return what runs before the tests, as names and commands."""
    module = [str(python), "-m"]
    types = ("types", [*module, "mypy"])
    if fast:
        changed = _changed_python_files()
        lint = [
            ("lint of changed files", [*module, "ruff", "check", "--quiet", *changed]),
            ("format of changed files", [*module, "ruff", "format", "--quiet", "--check", *changed]),
        ]
        return [*(lint if changed else []), types]
    return [
        ("lint", [*module, "ruff", "check", "--quiet"]),
        ("format", [*module, "ruff", "format", "--quiet", "--check"]),
        types,
        ("layers", [str(python), "-c", "from importlinter.cli import lint_imports_command as run; run()"]),
        ("docs", [*module, "pytest", "-q", "tests/docs"]),
    ]


def _client_is_sound() -> bool:
    """Check the VS Code extension: types, lint, its own tests. Without Node it is left out, and that is said."""
    npm, version = shutil.which("npm"), _node_version()
    if npm is None or version < OLDEST_NODE:
        _heading("extension")
        print(f"left out: npm and Node {OLDEST_NODE} or newer are needed and not here", flush=True)
        return True
    wanted = hashlib.sha256((CLIENT / "package-lock.json").read_bytes() + bytes([version])).hexdigest()
    stamp = CLIENT / "node_modules" / ".codecite-installed"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        # No package's own script is run: what is needed of them, the platform's binaries, are packages themselves.
        if not _check(
            "extension: install", [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], CLIENT
        ):
            return False
        stamp.write_text(wanted, encoding="utf-8")
    return _check("extension", [npm, "run", "--silent", "check"], CLIENT)


def _node_version() -> int:
    """Return the major version of the Node on the path, 0 where there is none."""
    node = shutil.which("node")
    said = _quiet([node, "--version"]).stdout if node else ""
    major = said.strip().removeprefix("v").partition(".")[0]
    return int(major) if major.isdecimal() else 0


def _check(name: str, command: list[str], folder: Path = TOP) -> bool:
    _heading(name)
    started = time.monotonic()
    code = _run(command, folder)
    print(f"{'ok' if code == 0 else 'FAILED'} in {time.monotonic() - started:.1f} s", flush=True)
    return code == 0


def _heading(name: str) -> None:
    print(f"\n--- {name} {'-' * max(3, 70 - len(name))}", flush=True)


def _run(command: list[str], folder: Path = TOP) -> int:
    return subprocess.run(command, stdin=subprocess.DEVNULL, cwd=folder, check=False).returncode


def _changed_python_files() -> list[str]:
    """Return the Python files that git sees as changed or new, all of them where there is no commit yet."""
    listed: set[str] = set()
    for command in (
        ["diff", "--name-only", "--relative", "HEAD"],
        ["ls-files", "--others", "--exclude-standard"],
    ):
        done = subprocess.run(
            ["git", *command], capture_output=True, text=True, encoding="utf-8", check=False
        )
        if done.returncode:
            return ["."]
        listed.update(done.stdout.splitlines())
    return sorted(path for path in listed if path.endswith(".py") and Path(path).is_file())


# --- set-up ----------------------------------------------------------------------------------------------------------


def _environment() -> Path:
    """Return the Python of the project's virtual environment, made where it is missing or broken."""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if _works(python):
        return python
    if VENV.exists():
        shutil.rmtree(VENV)  # left by an interrupted set-up, or by a Python that has since been removed
    print(f"making {VENV.name} with Python {sys.version.split()[0]}", flush=True)
    done = _quiet([sys.executable, "-m", "venv", str(VENV)])
    if done.returncode or not _works(python):
        print(done.stdout, end="")
        sys.exit(
            "This Python cannot make a virtual environment. On Debian and Ubuntu: `apt install python3-venv`; "
            "elsewhere install Python from python.org. Then run this again."
        )
    return python


def _works(python: Path) -> bool:
    """Say whether a virtual environment's Python starts and has pip."""
    return python.is_file() and _quiet([str(python), "-c", "import pip"]).returncode == 0


def _install(python: Path) -> None:
    """Install the project and its development tools, unless pyproject.toml is the one that was installed last."""
    wanted = hashlib.sha256((TOP / "pyproject.toml").read_bytes() + str(TOP).encode()).hexdigest()
    prefix = subprocess.run(
        [str(python), "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True, check=True
    ).stdout.strip()
    stamp = Path(prefix) / "codecite-installed.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    print("installing codecite and its development tools (a few minutes the first time)", flush=True)
    started = time.monotonic()
    done = _quiet(
        [str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "-e", ".[dev]"]
    )
    if done.returncode:
        print(done.stdout, end="")
        sys.exit("pip could not install the project; its output stands above. Mend that and run this again.")
    stamp.write_text(wanted, encoding="utf-8")
    print(f"installed in {time.monotonic() - started:.0f} s", flush=True)


def _quiet(command: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command whose output matters only when it fails."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


if __name__ == "__main__":
    if sys.version_info < OLDEST:
        sys.exit(f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed; this is {sys.version.split()[0]}.")
    sys.exit(main(sys.argv[1:]))
