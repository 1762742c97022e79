"""What a rehearsal may kill: the Redis and the worker of a demo that holds this folder, and nobody else."""

import fcntl
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from competitions.management.chaos import KILLS_EACH, Chaos


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(["sleep", "60"])
    yield child
    child.kill()
    child.wait()


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[IO[str]]:
    """A demo's folder, which nobody holds yet."""
    (tmp_path / "run").mkdir()
    with (tmp_path / "run" / "lock").open("w") as file:
        yield file


def chaos(root: Path, said: list[str]) -> Chaos:
    return Chaos(root, range(10, 20), random.Random(1), said.append)


def rage(found: Chaos) -> None:
    for half_hour in range(30):
        found.meanwhile(half_hour)


def test_the_worker_of_a_demo_that_runs_is_killed(
    tmp_path: Path, lock: IO[str], victim: subprocess.Popen[bytes]
) -> None:
    fcntl.flock(lock, fcntl.LOCK_EX)
    (tmp_path / "run" / "worker.pid").write_text(f"{victim.pid}\n")
    said: list[str] = []

    found = chaos(tmp_path, said)

    assert not found.finds_nobody()
    rage(found)
    assert victim.wait(10) == -signal.SIGKILL
    assert 1 <= len(said) <= KILLS_EACH


def test_a_pid_that_a_demo_left_behind_is_let_alone(
    tmp_path: Path, lock: IO[str], victim: subprocess.Popen[bytes]
) -> None:
    (tmp_path / "run" / "worker.pid").write_text(f"{victim.pid}\n")
    (tmp_path / "run" / "redis.pid").write_text(f"{victim.pid}\n")

    said: list[str] = []
    found = chaos(tmp_path, said)

    assert found.finds_nobody()
    rage(found)
    assert victim.poll() is None
    assert said == []


def test_without_a_demo_there_is_nobody_to_kill(tmp_path: Path) -> None:
    said: list[str] = []
    found = chaos(tmp_path, said)

    assert found.finds_nobody()
    rage(found)
    assert said == []
    assert not list(tmp_path.iterdir())
