"""Scores a minute: counted in the process, written as its record, added up over processes, and honest about gaps."""

import json
import logging
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
import redis

from foundation import clock
from foundation.monitoring import minutes
from foundation.monitoring.minutes import MINUTES, MOST_NAMES, SINCE, Minute

AT = datetime(2026, 11, 24, 12, 0, 30, tzinfo=UTC)


@pytest.fixture
def cache(redis_server: list[redis.Redis]) -> redis.Redis:
    """The page cache's Redis, emptied; this process has counted nothing."""
    redis_server[1].flushdb()
    minutes.forget()
    return redis_server[1]


def test_what_was_counted_is_told_by_minute_and_board_once_it_is_written(cache: redis.Redis) -> None:
    with clock.freeze_at(AT - timedelta(minutes=2)):
        minutes.add("7", None, 3)
        minutes.add("7", "too_old")
        minutes.write()
    with clock.freeze_at(AT):
        minutes.add("7", None)
        minutes.add("8", None, 2)
        before = minutes.last_hour()
        minutes.write()
        hour = minutes.last_hour()

    assert before is not None
    assert before.total.total == 4
    assert hour is not None
    assert len(hour.minutes) == MINUTES
    assert hour.of_board(7)[-3:] == [4, 0, 1]
    assert hour.of_board(8)[-3:] == [0, 0, 2]
    assert (hour.total.total, hour.total.refused, hour.total.codes["too_old"]) == (7, 1, 1)


def test_what_lies_before_the_first_record_is_not_known_and_is_not_nothing(cache: redis.Redis) -> None:
    with clock.freeze_at(AT):
        nothing = minutes.last_hour()
        minutes.add("7", None, 1)
        minutes.write()
        hour = minutes.last_hour()

    assert nothing is not None
    assert nothing.minutes[:-1] == (None,) * 59
    assert hour is not None
    assert hour.minutes[:-1] == (None,) * 59
    assert hour.of_board(7)[-1] == 1


def test_a_record_that_is_written_twice_counts_once_and_processes_add_up(cache: redis.Redis) -> None:
    with clock.freeze_at(AT):
        minutes.add("7", None, 2)
        minutes.write()
        minutes.add("7", None, 1)
        minutes.write()
        minutes.forget()  # another process
        minutes.add("7", None, 5)
        minutes.write()
        hour = minutes.last_hour()

    assert hour is not None
    assert hour.of_board(7)[-1] == 8


def test_while_the_cache_is_away_nobody_knows_and_what_was_counted_is_written_later(
    cache: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_alias: str) -> None:
        raise redis.exceptions.ConnectionError

    with clock.freeze_at(AT):
        minutes.add("7", None, 2)
        with monkeypatch.context() as gone:
            gone.setattr(minutes, "get_redis_connection", away)
            minutes.write()
            assert minutes.last_hour() is None
        minutes.add("7", None, 1)
        minutes.write()
        hour = minutes.last_hour()

    assert hour is not None
    assert hour.of_board(7)[-1] == 3


NO_RECORDS = (
    "[]",
    "[1e999, 0, {}, {}, {}]",
    '[5, 0, {}, {}, {"late": Infinity}]',
    "[5, 0, {}]",
    "[" * 100_000,
    "[5, 0, 1, 2, 3]",
)


@pytest.mark.parametrize("record", NO_RECORDS)
def test_a_record_that_is_none_of_ours_counts_nothing(cache: redis.Redis, record: str) -> None:
    with clock.freeze_at(AT):
        minutes.add("7", None, 1)
        minutes.write()
        [key] = list(cache.keys("plain:minutes:[0-9]*"))
        cache.set(key, record)
        hour = minutes.last_hour()

    assert hour is not None
    assert hour.total.total == 0
    assert cache.get(SINCE) is not None


def test_boards_beyond_the_bound_count_in_the_total_alone() -> None:
    minutes.forget()
    with clock.freeze_at(AT):
        for number in range(MOST_NAMES + 10):
            minutes.add(str(number), None)
    [minute] = minutes._own._minutes.values()
    minutes.forget()

    assert (minute.total, len(minute.by_board)) == (MOST_NAMES + 10, MOST_NAMES)
    read = Minute()
    read.add_record(minute.as_json().encode())
    assert (read.total, len(read.by_board)) == (MOST_NAMES + 10, MOST_NAMES)
    assert len(json.loads(minute.as_json())) == 5


AT_THE_END = """
import logging, sys
logging.basicConfig(level=logging.INFO, stream=sys.stderr)
import django; django.setup()
from foundation.monitoring import minutes
minutes.WRITTEN_EVERY_SECONDS = {seconds}
minutes.add("7", None)
"""


def test_a_process_that_ends_before_its_record_is_due_writes_nothing_into_a_closed_stream() -> None:
    """The timer waits, or writes to a Redis that is away, while the process ends."""
    for seconds in (0.0, 0.01, 0.05, 5):
        environment = os.environ | {"CACHE_URL": "redis://127.0.0.1:1/1"}
        code = AT_THE_END.format(seconds=seconds)
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)

        assert "Logging error" not in done.stderr
        assert "Traceback" not in done.stderr


def test_nothing_is_written_by_itself_once_the_process_ends(
    cache: redis.Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    own = minutes._Own()
    with clock.freeze_at(AT), caplog.at_level(logging.INFO):
        own.add("7", None)
        waiting = own._timer
        own.end()
        own.add("7", None)
        monkeypatch.setattr(minutes, "get_redis_connection", lambda _alias: 1 / 0)
        own.write()

    assert waiting is not None
    waiting.join(5)
    assert own._timer is None
    assert caplog.records == []
