"""Beat while the broker is away: few lines, and it goes on by itself when the broker is back."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import dropwhile
from pathlib import Path

import pytest
from django.conf import settings

from config.components import redis_urls
from config.local import child_process
from config.quiet_scheduler import BrokerLog
from tests.faults.servers import RedisServer


def test_a_broker_that_is_away_is_a_line_each_minute_and_one_at_both_ends(caplog: pytest.LogCaptureFixture) -> None:
    second = 0.0
    log = BrokerLog(lambda: second)
    for step in range(1300):  # five tasks a second
        second = step / 5
        log.note_failure("refused", unsent=1)
    for _ in range(10):
        log.note_success()

    assert [record.getMessage() for record in caplog.records] == [
        "The broker does not answer: refused. No task is sent until it does.",
        *(
            f"The broker has not answered for {seconds} s, and {unsent} tasks were not sent: refused"
            for seconds, unsent in ((60, 301), (120, 601), (180, 901), (240, 1201))
        ),
        "The broker answers again after 260 s; 1300 tasks were not sent meanwhile.",
    ]


def test_each_outage_is_told_anew_and_a_broker_that_answers_is_no_line(caplog: pytest.LogCaptureFixture) -> None:
    log = BrokerLog(lambda: 5.0)
    log.note_success()
    for _ in range(2):
        log.note_failure("refused")
        log.note_success()

    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"] * 2


def is_banner(line: str) -> bool:
    """Whether the line is none of the log: Celery writes some at its start."""
    return not re.match(r"\d{4}-\d\d-\d\dT", line)


@contextmanager
def beat(broker: RedisServer, folder: Path) -> Iterator[Callable[[], list[str]]]:
    """A real beat with that broker; the lines of its log."""
    environment = os.environ | {
        "BROKER_URL": broker.made.url, "REDIS_URL": redis_urls.with_database(broker.made.url, 1),
        "CACHE_URL": redis_urls.with_database(broker.made.url, 2), "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
        "SECRET_KEY": "of the test", "DATA_DIR": str(folder),
    }  # fmt: skip  # as a table
    log = folder / "log"
    command = [sys.executable, "-m", "config.run_celery", "-A", "config.beat", "beat", "-l", "INFO"]
    with log.open("wb") as out:
        child = child_process.start(
            command, cwd=settings.BASE_DIR, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    try:
        yield lambda: list(dropwhile(is_banner, log.read_text(errors="replace").splitlines()))
    finally:
        child_process.stop(child)


def wait_for(holds: Callable[[], bool], seen: Callable[[], object], seconds: float = 30) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, seen()
        time.sleep(0.05)


def test_a_real_beat_writes_one_line_when_its_broker_is_killed_and_sends_again_when_it_is_back(
    broker: RedisServer, tmp_path: Path
) -> None:
    def sent() -> int:
        with broker.client() as client:
            return int(client.llen("celery"))

    with beat(broker, tmp_path) as lines:
        wait_for(lambda: sent() > 0, lines)
        assert lines() == []
        broker.kill()
        wait_for(lambda: bool(lines()), lines)
        time.sleep(4)  # dozens of tasks are due meanwhile
        while_away = lines()
        broker.start()
        wait_for(lambda: len(lines()) > 1, lines)
        wait_for(lambda: sent() > 0, lines)

        assert ["The broker does not answer" in line for line in while_away] == [True]
        assert "The broker answers again after " in lines()[-1]
