"""Scores a minute: counted in the process, written as its record, added up over processes, and honest about gaps."""

import json
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


def test_a_record_that_is_none_of_ours_counts_nothing(cache: redis.Redis) -> None:
    with clock.freeze_at(AT):
        minutes.add("7", None, 1)
        minutes.write()
        [key] = list(cache.keys("plain:minutes:[0-9]*"))
        cache.set(key, "[]")
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
