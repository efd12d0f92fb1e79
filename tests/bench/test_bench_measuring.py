"""The benchmark's ruler: everything that a command starts is counted, and what fails says why."""

import os
import signal
import sys
from pathlib import Path

import pytest
from tests.bench.measuring import Job, RunError, measure

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"

# Starts a process that outlives it, waits for its word that it works, and ends; the other burns on and then sleeps.
LEAVES_A_DAEMON = """
import subprocess, sys
daemon = subprocess.Popen([sys.executable, "-c", '''{daemon}'''], stdout=subprocess.PIPE, start_new_session=True)
daemon.stdout.readline()
print(daemon.pid)
"""
DAEMON = """
import time
held = bytearray(40_000_000)
end = time.monotonic() + 0.5
while time.monotonic() < end: pass  # long enough to be seen while the command lives
print("working", flush=True)
{burn}
time.sleep(600)
"""


def job(code: str, folder: Path) -> Job:
    return Job([sys.executable, "-c", code], folder, {})


def test_counts_the_command_and_the_children_that_it_waits_for(tmp_path: Path) -> None:
    child = BURN.format(seconds=0.3)
    both = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', '''{child}'''])\n{child}"
    used = measure(job(both, tmp_path)).cpu_seconds
    assert used >= 0.6
    assert used < 2.6  # each once


@pytest.mark.skipif(sys.platform == "win32", reason="the daemon is ended by a signal")
def test_counts_a_daemon_that_the_command_leaves(tmp_path: Path) -> None:
    code = LEAVES_A_DAEMON.format(daemon=DAEMON.format(burn=BURN.format(seconds=0.9)))
    usage = measure(job(code, tmp_path))
    pid = int(usage.stdout)
    try:
        assert pid in usage.left
        assert usage.cpu_seconds >= 0.85  # process_time and the ticks of the system differ a little
        assert 40_000_000 <= usage.left_memory <= usage.memory
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_command_that_fails_says_so(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="ended with 3: no such thing"):
        measure(job("import sys; print('no such thing', file=sys.stderr); sys.exit(3)", tmp_path))


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    hangs = Job([sys.executable, "-c", "import time; time.sleep(600)"], tmp_path, {}, timeout=0.5)
    with pytest.raises(RunError, match="ended with"):
        measure(hangs)


def test_the_environment_is_put_over_the_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "kept")
    shows = "import os; print(os.environ['KEPT'], os.environ['SET'], os.getcwd())"
    usage = measure(Job([sys.executable, "-c", shows], tmp_path, {"SET": "set"}))
    assert usage.stdout.split() == ["kept", "set", str(tmp_path)]
