"""A server that nobody knows is met family by family: one that cannot be judged keeps no other from coming back."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from django.db import connection, transaction

from foundation import clock
from foundation.models import KnownRedis
from foundation.sync import barrier
from leaderboards.management.doctor_checks import corrupt_sync_states
from leaderboards.models import Board, Period
from leaderboards.services.sync.rebuild import rebuild
from leaderboards.services.sync.resync_periods import resync_due
from tests.leaderboards.services.site import (
    NOON,
    WHO_DECIDES,
    crowd,
    files,
    follow,
    in_redis,
    in_sql,
    make_board,
    redis_client,
    restart_with,
    score,
)

POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")


def three(storage: str) -> tuple[Period, list[Period]]:
    """A period of that storage, and of another board of each storage that Redis shows."""
    boards = [
        make_board(each, name=name) for name, each in (("Bad", storage), ("Hybrid", "hybrid"), ("Redis", "redis"))
    ]
    bad, *others = (crowd(board, {"ann": 1, "bob": 2}) for board in boards)
    return bad, others


def settle(times: int = 3) -> None:
    for _ in range(times):
        resync_due(clock.now())


def assert_live(periods: list[Period]) -> None:
    for period in periods:
        period.refresh_from_db()
        assert period.stale_since is None
        assert takes_scores(period.board)
        assert in_redis(period)


def takes_scores(board: Board) -> bool:
    return all(outcome.status.is_accepted for outcome in score(board, {"ann": 10}, NOON))


DAMAGE = [
    (name, value, restarts)
    for name in ("gen", "seq", "watermark")
    for value in ("a text", "another type")
    for restarts in (True, False)
]


@WHO_DECIDES
@pytest.mark.parametrize(("name", "value", "restarts"), DAMAGE)
def test_a_key_that_is_no_number_keeps_no_other_board_away(storage: str, name: str, value: str, restarts: bool) -> None:
    bad, others = three(storage)
    key = getattr(bad.family, name)
    with redis_client() as client:
        client.delete(key)
        if value == "a text":
            client.set(key, "abc")
        else:
            client.rpush(key, "x")
    if restarts:
        restart_with(files())

    settle()

    assert_live(others)
    assert KnownRedis.objects.exists()
    red = [each for each in corrupt_sync_states(NOON) if each.is_red]
    for each in red:  # what cannot be judged is said to whom it concerns, with what to do
        assert str(bad) in each.name
        assert f"`SET {key} 1`" in each.detail
        with redis_client() as client:
            client.set(key, 1)
        assert [each.is_resynced for each in rebuild(bad.board, None, NOON)] == [True]
    settle()
    assert not [each for each in corrupt_sync_states(NOON) if each.is_red]
    assert_live([bad])
    assert len(in_sql(bad)) == 2


@contextmanager
def held(period: Period) -> Iterator[None]:
    """Somebody else keeps the period to themselves."""
    there, done = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            barrier.hold_exclusive(period.pk)
            there.set()
            with connection.cursor() as cursor:
                while not done.is_set():
                    cursor.execute("SELECT 1")
                    time.sleep(0.05)
        connection.close()

    holder = Thread(target=hold, daemon=True)
    holder.start()
    assert there.wait(10)
    try:
        yield
    finally:
        done.set()
        holder.join(10)


@POSTGRESQL
@WHO_DECIDES
def test_a_period_that_somebody_keeps_to_themselves_keeps_no_other_away(storage: str) -> None:
    bad, others = three(storage)
    older = files()
    score(bad.board, {"cat": 3})
    follow(bad)
    restart_with(older)

    with held(bad):
        settle(2)
        assert_live(others)
        bad.refresh_from_db()
        with redis_client() as client:  # nobody is shown what it remembers, or scores in it
            assert client.get(bad.family.gen) != str(bad.generation).encode()

    settle()
    assert_live([bad])
    assert len(in_redis(bad)) == len(in_sql(bad)) == 3
