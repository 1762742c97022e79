"""A real Celery worker for the tests of what it logs and counts."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from config.local import child_process


@contextmanager
def running_worker(environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A real Celery worker with this environment, whose lines go into ``log``; its process."""
    options = ["worker", "--pool", "threads", "-c", "2", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    command = [sys.executable, "-m", "config.run_celery", "-A", "config", *options, "-l", "INFO"]
    with log.open("wb") as out:
        child = child_process.start(
            command, cwd=settings.BASE_DIR, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    try:
        yield child
    finally:
        child_process.stop(child)
