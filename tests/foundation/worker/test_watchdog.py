"""A worker that hangs ends itself; one that works, waits for work, or was frozen as a whole does not."""

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings as configured

from config.celery import app
from foundation.worker.watchdog import LOOKS, STATUS, Watchdog
from tests.foundation.monitoring.celery_worker import running_worker

HEARTBEAT = "foundation.tasks.heartbeat"


@pytest.fixture
def busy() -> Watchdog:
    """Both threads run a task, and it was seen that they do."""
    watchdog = Watchdog(threads=2, seconds=900)
    for task in ("a", "b"):
        watchdog.note_start(task_id=task)
    assert not watchdog.hangs()
    return watchdog


def test_busy_threads_that_neither_begin_nor_end_a_task_hang(busy: Watchdog) -> None:
    assert [busy.hangs() for _ in range(LOOKS)] == [*[False] * (LOOKS - 1), True]


def test_a_task_that_ends_or_begins_is_a_sign_of_life(busy: Watchdog) -> None:
    for nth in range(3 * LOOKS):
        if nth % (LOOKS - 1) == 0:
            busy.note_end(task_id="a" if nth == 0 else f"{nth - LOOKS + 1}")
            busy.note_start(task_id=f"{nth}")
        assert not busy.hangs()


def test_while_a_thread_is_free_nothing_hangs(busy: Watchdog) -> None:
    busy.note_end(task_id="b")

    assert not any(busy.hangs() for _ in range(3 * LOOKS))


@pytest.fixture
def silent_sql() -> Iterator[str]:
    """A server that takes connections and never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(16)
        yield f"postgres://nobody@127.0.0.1:{listening.getsockname()[1]}/none"


def test_a_real_worker_that_hangs_says_where_and_ends(
    redis_server: list[redis.Redis], silent_sql: str, tmp_path: Path
) -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": silent_sql, "WORKER_HUNG_SECONDS": "0.3",
        "BROKER_URL": configured.BROKER_URL, "REDIS_URL": configured.REDIS_URL, "CACHE_URL": configured.CACHE_URL,
        "SECRET_KEY": "of the test", "DATA_DIR": str(tmp_path), "METRICS_FOLDER": str(tmp_path / "metrics"),
    }  # fmt: skip  # as a table
    with running_worker(environment, tmp_path / "log") as worker:
        give_up = time.monotonic() + 60
        while worker.poll() is None and time.monotonic() < give_up:
            app.send_task(HEARTBEAT)  # what waits to be begun is no sign of life
            time.sleep(0.2)

    told = (tmp_path / "log").read_text(errors="replace")
    assert worker.returncode == STATUS, told[-3000:]
    assert "no task has ended for 0.3 s and all threads are busy" in told
    assert "foundation/tasks.py" in told  # in the stacks
