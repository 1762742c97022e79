"""A real Celery worker with its beat, as the demo starts them: what only Redis knows comes to SQL by itself."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.db import connection

from config.local.demo import WORKER
from leaderboards.models import Standing
from tests import playing
from tests.faults.world import wait_until
from tests.leaderboards.factories import BoardFactory


@contextmanager
def worker(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """On this test's own servers, until the block ends; then it ends as it is asked to."""
    database = f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{Path(connection.settings_dict['NAME']).name}"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "--quiet", "-A", "config", *WORKER.split(), "--beat"],
            cwd=settings.BASE_DIR, env={**os.environ, "DATABASE_URL": database}, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip  # as a table
    try:
        yield process
        process.terminate()
        assert process.wait(30) == 0, log.read_text()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_score_that_only_redis_has_comes_to_sql_by_the_workers_beat(redis_known: None, tmp_path: Path) -> None:
    board = BoardFactory.create(storage="redis")
    playing.score(board.seq, {"ann": 7})
    assert not Standing.objects.exists()

    with worker(tmp_path / "log") as process:
        wait_until(lambda: Standing.objects.exists() or process.poll() is not None, "the standing in SQL")

        assert process.poll() is None, (tmp_path / "log").read_text()

    assert [(each.player.external_id, each.points) for each in Standing.objects.all()] == [("ann", 7)]
