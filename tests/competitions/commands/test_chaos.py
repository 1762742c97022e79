"""What a rehearsal may kill: the Redis and the worker of a demo that holds this folder, and nobody else."""

import fcntl
import random
import signal
import subprocess
from pathlib import Path

import pytest

from competitions.management.chaos import KILLS_EACH, Chaos


def raged(root: Path) -> tuple[bool, list[str]]:
    """Whether it found nobody to kill, and what it said in thirty half hours."""
    said: list[str] = []
    chaos = Chaos(root, range(10, 20), random.Random(1), said.append)
    found_nobody = chaos.finds_nobody()
    for half_hour in range(30):
        chaos.meanwhile(half_hour)
    return found_nobody, said


def test_a_number_that_a_demo_left_behind_is_let_alone_and_the_worker_of_one_that_runs_is_killed(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    victim = subprocess.Popen(["sleep", "60"])
    request.addfinalizer(victim.kill)
    assert raged(tmp_path) == (True, [])
    assert not list(tmp_path.iterdir())
    (tmp_path / "run").mkdir()
    for name in ("lock", "worker.pid"):
        (tmp_path / "run" / name).write_text(f"{victim.pid}\n")

    assert raged(tmp_path) == (True, [])
    assert victim.poll() is None

    with (tmp_path / "run" / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found_nobody, said = raged(tmp_path)
    assert not found_nobody
    assert victim.wait(10) == -signal.SIGKILL
    assert 1 <= len(said) <= KILLS_EACH
