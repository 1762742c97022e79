"""What readers are told: once for all that a transaction has changed, and nobody waits for what has not changed."""

import threading
import time
from collections.abc import Collection
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import transaction

from foundation import clock
from foundation.db.resilience import StaleIfErrorCache
from foundation.redis import client as redis
from foundation.redis.client import RedisClient
from leaderboards.core.keys import PeriodKeyFamily
from leaderboards.models import Board, Period, Visibility
from leaderboards.selectors.catalog.cache_versions import (
    MAX_READ_STALENESS_SECONDS,
    clear_known_versions,
    fetch_version,
    known_version,
)
from leaderboards.selectors.player_data import names
from leaderboards.services.board_files import save_boards
from leaderboards.services.boards import save_board
from leaderboards.services.periods import close
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.sync import invalidate
from leaderboards.services.sync.resync_periods import PeriodResync
from leaderboards.stores.redis.cache_versions import TTL_SECONDS
from tests.leaderboards.api.conftest import Caller
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    """The boards whose readers Redis was to tell, command by command; it is away."""
    asked = list[set[int]]()

    def away(_link: RedisClient, periods: Collection[PeriodKeyFamily]) -> None:
        if periods:
            asked.append({int(each.zset.split("_")[1]) for each in periods})
            raise redis.RedisAway("Redis is away.")

    monkeypatch.setattr(invalidate, "drop_cache_versions", away)
    return asked


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long somebody waited, each time."""
    seconds = list[float]()
    monkeypatch.setattr(time, "sleep", seconds.append)
    return seconds


def settings_of(numbers: list[int], **settings: Any) -> list[dict[str, Any]]:
    return [{"name": board.name, **settings} for board in Board.objects.filter(pk__in=numbers)]


def living_boards(count: int) -> list[int]:
    return [make_board(name=f"Board {nth}", storage="hybrid") for nth in range(count)]


def edition_of(number: int) -> Any:
    return redis.boards().call("GET", Period.objects.filter(board=number).earliest("pk").family.cache_version)


def read_often(anybody: Caller, number: int, times: int = 4) -> dict[str, Any]:
    for _ in range(times):
        answer: dict[str, Any] = anybody.get(f"/boards/{number}/standings").json()
    return answer


def test_who_makes_many_boards_private_while_redis_is_away_asks_it_once_and_waits_once(
    told: list[set[int]], waited: list[float]
) -> None:
    numbers = living_boards(3)

    save_boards(settings_of(numbers, visibility=Visibility.PRIVATE), clock.now())

    assert (told, waited) == ([{*numbers}], [MAX_READ_STALENESS_SECONDS])


def test_who_changes_nothing_of_private_boards_waits_for_nothing(told: list[set[int]], waited: list[float]) -> None:
    numbers = living_boards(2)
    Board.objects.update(visibility=Visibility.PRIVATE)

    save_boards(settings_of(numbers), clock.now())
    assert waited == []
    save_boards([{"name": "Board 0"}, {"name": "Board 1", "unit": "metres"}], clock.now())

    assert (told, waited) == ([{*numbers}] * 2, [MAX_READ_STALENESS_SECONDS])


def test_what_was_taken_back_is_told_to_nobody_and_what_follows_is(told: list[set[int]], waited: list[float]) -> None:
    one, other = (Board.objects.get(pk=number) for number in living_boards(2))
    one.visibility = Visibility.PRIVATE

    for others in ([other], []):
        with transaction.atomic():
            with transaction.atomic():
                save_board(one)
                transaction.set_rollback(True)
            for each in others:
                save_board(each)

    assert (told, waited) == ([{other.seq}], [])


def test_a_period_that_is_marked_elsewhere_is_read_from_sql_at_once(
    anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = make_board(storage="hybrid")
    score(number, {"ann": 1})
    moment = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: moment)
    assert read_often(anybody, number)["live"] is True
    period = Period.objects.filter(board=number).earliest("pk")

    with patch.object(StaleIfErrorCache, "forget", lambda _: None):
        PeriodResync(period).mark_stale(clock.now())

    assert read_often(anybody, number, 1)["live"] is False


def test_an_edition_is_told_by_a_redis_that_is_full(anybody: Caller) -> None:
    number = make_board(storage="hybrid")
    score(number, {"ann": 1})
    read_often(anybody, number)
    period, present = Period.objects.filter(board=number).earliest("pk"), edition_of(number)
    clear_known_versions()

    redis.boards().call("CONFIG", "SET", "maxmemory", "1")
    try:
        fetch_version(period)
    finally:
        redis.boards().call("CONFIG", "SET", "maxmemory", "0")

    assert [told.version for told in [known_version(period)] if told] == [present.decode()]


def test_an_edition_that_is_drawn_of_a_closed_period_does_not_stay(anybody: Caller) -> None:
    number = make_board(storage="hybrid", period="day")
    score(number, {"ann": 1})
    read_often(anybody, number)
    period = Period.objects.filter(board=number).earliest("pk")
    close.close_period(period, clock.now() + timedelta(days=2))

    fetch_version(period)  # as a process does that remembers the row

    assert 0 < redis.boards().call("TTL", period.family.cache_version) <= TTL_SECONDS


def test_who_reads_while_a_name_is_forgotten_keeps_no_old_name(
    anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, drop = make_board(storage="hybrid"), names._cache.drop
    score(number, {"ann": 1})
    set_profile("ann", {"name": "Old"}, clock.now())
    assert read_often(anybody, number)["rows"][0]["name"] == "Old"

    def slowly(ids: Collection[str]) -> None:
        reader = threading.Thread(target=read_often, args=(anybody, number, 1))
        reader.start()
        reader.join()
        drop(ids)

    monkeypatch.setattr(names._cache, "drop", slowly)
    set_profile("ann", {"name": "New"}, clock.now())

    assert read_often(anybody, number, 1)["rows"][0]["name"] == "New"
