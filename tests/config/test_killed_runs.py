"""A test run that is killed leaves no server behind."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.config.local.test_supervisor import eventually

ROOT = Path(__file__).parents[2]
OURS = ("PYTEST_", "TEST_OWN_", "DATA_DIR", "REDIS_URL", "CACHE_URL", "BROKER_URL", "DATABASE_URL")


def processes_of(run: str, folders: str = "of none yet") -> dict[str, str]:
    """The living processes that were started with this word in their environment, or whose command line matches
    ``folders``: the title that Valkey gives itself covers its environment. Command lines by process id.
    """
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if command and (run.encode() in (process / "environ").read_bytes() or re.search(folders, command)):
                found[process.name] = command
        except OSError:  # it ended meanwhile
            continue
    return found


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found by Linux's /proc")
@pytest.mark.parametrize(
    ("workers", "how"),
    [pytest.param(0, signal.SIGKILL, marks=pytest.mark.deep), (2, signal.SIGKILL), (2, signal.SIGTERM)],
)
def test_a_killed_run_leaves_no_server_behind(tmp_path: Path, workers: int, how: signal.Signals) -> None:
    """What is terminated is make; what is killed is pytest itself."""
    run = f"run-in-{tmp_path}"
    arguments = ["-q", "-p", "no:cacheprovider", "-n", str(workers), "--dist", "load", "tests/config/slow_run.py"]
    make = ["make", "test", f"VENV={sys.prefix}", "-o", f"{sys.prefix}/.installed-test", f"ARGS={' '.join(arguments)}"]
    command = make if how == signal.SIGTERM else [sys.executable, "-m", "pytest", *arguments]
    own = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    child = subprocess.Popen(
        command, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL,
        env=own | {"SAY_READY": str(tmp_path), "THIS_RUN": run},
    )  # fmt: skip  # as a command line
    assert eventually(lambda: len(list(tmp_path.iterdir())) == max(1, workers) or child.poll() is not None, 120)
    folders = f"sunwi-tests-({'|'.join(processes_of(run))})-"
    started = " ".join(processes_of(run, folders).values())
    assert "valkey-server unixsocket" in started
    assert "bin/postgres -D" in started

    child.send_signal(how)
    child.wait()

    assert eventually(lambda: not processes_of(run, folders), 30)
