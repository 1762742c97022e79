"""A test run that is killed leaves no server behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAYS_ITS_SERVERS = """
import os, time
import pytest
from django.contrib.auth.models import User

@pytest.mark.parametrize("nth", range(2))
def test_something_slow(redis_server, transactional_db, nth):
    assert User.objects.count() == 0
    os.write(int(os.environ["SAY_READY"]), b"x")
    time.sleep(300)
"""


def processes_of(run: str) -> list[str]:
    """The command lines of all living processes that were started with this word in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if run.encode() in (process / "environ").read_bytes() and (process / "cmdline").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it ended meanwhile
            continue
    return found


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found by Linux's /proc")
@pytest.mark.parametrize(("workers", "how"), [("0", signal.SIGKILL), ("2", signal.SIGKILL), ("2", signal.SIGTERM)])
def test_a_killed_run_leaves_no_server_behind(tmp_path: Path, workers: str, how: signal.Signals) -> None:
    (tmp_path / "test_slow.py").write_text(SAYS_ITS_SERVERS)
    run, (hear, say) = f"RUN_OF_{tmp_path}", os.pipe()
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TEST_OWN_", "DATA"))}
    for name in ("REDIS_URL", "CACHE_URL", "BROKER_URL", "DATABASE_URL"):
        own.pop(name, None)
    os.set_inheritable(say, True)
    child = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", workers, "-c", "pyproject.toml",
         "--rootdir=.", "--confcutdir=.", f"--override-ini=pythonpath={ROOT}", str(tmp_path), "-p", "tests.conftest"],
        cwd=ROOT, env=own | {"SAY_READY": str(say), "THIS_RUN": run}, close_fds=False, start_new_session=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip  # as a command line
    os.close(say)
    for _ in range(max(1, int(workers))):
        assert os.read(hear, 1) == b"x"
    assert any("valkey" in each for each in processes_of(run))
    assert any("postgres" in each for each in processes_of(run))

    child.send_signal(how)
    child.wait()

    until = time.monotonic() + 30
    while (left := processes_of(run)) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []
