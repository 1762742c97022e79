"""Freezing: the copy stays as it was, is made once, is read like any final period, and the schedule leaves it alone."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from foundation import redis
from leaderboards import selectors
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, State
from leaderboards.selectors.distribution import distribution
from leaderboards.services import freeze
from leaderboards.services.close import close_due
from leaderboards.services.extend import move_end
from leaderboards.services.freeze import copy_period
from leaderboards.services.mirror import mirror_all
from leaderboards.services.retain import drop_submissions, expire_due
from leaderboards.services.settle import settle_due
from leaderboards.services.verify import verify_all
from tests.leaderboards.services.contest import ENDS, KnownEvents, period_of
from tests.leaderboards.services.race import Race
from tests.leaderboards.services.site import DAY, NOON, final, redis_client

pytestmark = pytest.mark.django_db(transaction=True)

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
LABEL = "c7-frozen"
IN_SCORE = {"tie_break": "score", "total_maximum": 2**23 - 1, "maximum": 2**23 - 1}


def shown(race: Race, label: str) -> list[tuple[int | None, str, object]]:
    rows = selectors.standings(race.event.board, label, 0, 100).rows
    return [(row.rank, row.player, row.points) for row in rows]


@STORAGES
@pytest.mark.parametrize("ties", ["first_come", "last_come", "shared", "dense"])
def test_the_copy_stays_as_it_was_while_the_race_goes_on(declared: KnownEvents, storage: str, ties: str) -> None:
    race = Race(declared, storage, {"ties": ties, "update": "increment"})
    period = race.begin()
    before = race.shown()

    copy_period(period, LABEL, NOON)
    race.go_on(NOON + timedelta(hours=1))

    assert [(rank, player, (points,)) for rank, player, points in shown(race, LABEL)] == before
    assert race.shown() == race.expected() != before


@STORAGES
def test_every_selector_reads_it_like_a_final_period(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, IN_SCORE)
    period, board = race.begin(), race.event.board
    times = race.times()
    mirror_all()
    _, live = selectors.export_rows(board, "c7")
    before = list(live)

    copy = copy_period(period, LABEL, NOON)

    _, rows = selectors.export_rows(board, LABEL)
    exported = list(rows)
    assert exported == before
    assert {row.player: row.achieved_at for row in exported} == times
    assert selectors.player_row(board, "p3", LABEL).row == next(row for row in exported if row.player == "p3")
    assert selectors.around(board, "p3", 2, LABEL).total == copy.players == 40
    assert distribution(board, LABEL).histogram == distribution(board, "c7").histogram
    assert selectors.shown_period(board, LABEL, NOON).ends_at == ENDS


@STORAGES
def test_it_is_what_closing_at_that_moment_would_have_written(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, IN_SCORE)
    period = race.begin()

    copy = copy_period(period, LABEL, NOON)
    close_due(ENDS + DAY)

    assert final(copy) == final(period)
    assert copy.content_hash == period_of(race.event).content_hash
    assert (copy.starts_at, copy.ends_at, copy.rules) == (period.starts_at, period.ends_at, period.rules)


@STORAGES
def test_twice_and_at_once_make_one_copy(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, IN_SCORE)
    period = race.begin()
    before = race.shown()

    def freeze_it(_: int) -> int:
        try:
            return copy_period(period_of(race.event), LABEL, NOON).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(freeze_it, range(8)))
    race.go_on(NOON + timedelta(hours=1))
    made.add(copy_period(period, LABEL, NOON + timedelta(hours=2)).pk)

    assert len(made) == 1
    assert [(rank, player, (points,)) for rank, player, points in shown(race, LABEL)] == before


@STORAGES
def test_the_schedule_leaves_it_alone(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, IN_SCORE)
    copy = copy_period(race.begin(), LABEL, NOON)
    before = shown(race, LABEL)

    with redis_client() as client:
        client.flushdb()
        settle_due(NOON)
        mirror_all()
        verified = verify_all(NOON, seconds=10)
        closed = close_due(ENDS + DAY)
        expire_due(ENDS + 90 * DAY)
        drop_submissions(ENDS + 200 * DAY)

        assert not client.keys(f"*{LABEL}*")
    assert LABEL not in {each.label for each in verified} | {each.label for each in closed}
    assert Period.objects.get(pk=copy.pk).state == State.EXPIRED
    assert shown(race, LABEL) == before


@STORAGES
def test_a_moved_end_does_not_touch_it(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, IN_SCORE)
    period = race.begin()
    copy_period(period, LABEL, NOON)
    before = shown(race, LABEL)

    move_end(period, race.announce(6 * DAY), NOON)

    assert shown(race, LABEL) == before
    assert selectors.shown_period(race.event.board, LABEL, NOON).ends_at == ENDS


@STORAGES
def test_an_empty_period_is_copied_too(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, IN_SCORE)
    period = race.open()

    copy = copy_period(period, LABEL, NOON)

    assert (copy.players, shown(race, LABEL)) == (0, [])


def test_where_redis_decides_and_is_away_there_is_no_copy_yet(
    declared: KnownEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    race = Race(declared, "redis", IN_SCORE)
    period = race.begin()

    def away(_: Period) -> int:
        raise redis.RedisAway("Redis is away.")

    with monkeypatch.context() as patch:
        patch.setattr(freeze, "mirror", away)
        with pytest.raises(redis.RedisAway):
            copy_period(period, LABEL, NOON)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)
    with pytest.raises(StorageUnavailable):
        copy_period(period, LABEL, NOON)

    assert not Period.objects.filter(label=LABEL).exists()
