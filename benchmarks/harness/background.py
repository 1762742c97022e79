"""Worker and beat beside a site, as they are run: so that what they cost is measured too."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.harness.sites import ROOT
from config.components import redis_urls
from config.local import child_process
from config.local.demo import BEAT, WORKER

READY = " ready."  # the worker says so once it takes tasks
GIVE_UP_SECONDS = 60.0


@contextmanager
def background(folder: Path) -> Iterator[tuple[int, ...]]:
    """Run both until the end of the block; their process ids, the worker's first. Logs go into the folder."""
    log = folder / "background.log"
    broker = redis_urls.for_broker(os.environ["BROKER_URL"])
    with log.open("ab") as written:
        options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": written, "stderr": written}
        options |= {"cwd": ROOT, "env": os.environ | {"BROKER_URL": broker, "LOG_LEVEL": "INFO"}}
        celery = [sys.executable, "-m", "config.run_celery", "--quiet", "-A"]
        children = [child_process.start([*celery, *each], **options) for each in (WORKER.split(), BEAT.split())]
    try:
        _wait(log)
        yield tuple(child.pid for child in children)
        if any(child.poll() is not None for child in children):
            raise SystemExit(f"worker or beat ended: {log.read_text()[-2000:]}")
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.wait(30)


def _wait(log: Path) -> None:
    deadline = time.monotonic() + GIVE_UP_SECONDS
    while READY not in log.read_text(errors="replace"):
        if time.monotonic() > deadline:
            raise SystemExit(f"the worker did not start: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)
