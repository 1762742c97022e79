"""Freezing: the copy stays as it was, is made once, is read like any final period, and the schedule leaves it alone."""

from datetime import timedelta

import pytest

from foundation import redis
from leaderboards import selectors
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, State
from leaderboards.selectors.distribution import distribution
from leaderboards.services.close import close_due
from leaderboards.services.extend import move_end
from leaderboards.services.freeze import copy_period
from leaderboards.services.mirror import mirror_all
from leaderboards.services.retain import drop_submissions, expire_due
from leaderboards.services.settle import settle_due
from leaderboards.services.verify import verify_all
from tests.at_once import at_once
from tests.leaderboards.services.contest import ENDS, KnownEvents, period_of
from tests.leaderboards.services.race import MILLISECONDS, Race, Shown
from tests.leaderboards.services.sending import WHO_DECIDES
from tests.leaderboards.services.site import DAY, NOON, final, redis_away, redis_client

LABEL = "c7-frozen"


def frozen(race: Race) -> Shown:
    rows = selectors.standings(race.event.board, LABEL, 0, 100).rows
    return [(row.rank, row.player, (row.points,)) for row in rows]


@WHO_DECIDES
@pytest.mark.parametrize("ties", ["first_come", "last_come", "shared", "dense"])
def test_the_copy_stays_as_it_was_while_the_race_goes_on(declared: KnownEvents, storage: str, ties: str) -> None:
    race = Race(declared, storage, {"ties": ties, "update": "increment"})
    period = race.begin()
    before = race.shown()

    copy_period(period, LABEL, NOON)
    race.go_on(NOON + timedelta(hours=1))
    move_end(period, race.announce(6 * DAY), NOON)

    assert frozen(race) == before
    assert race.shown() == race.expected() != before
    assert selectors.shown_period(race.event.board, LABEL, NOON).ends_at == ENDS


@WHO_DECIDES
def test_every_selector_reads_it_like_a_final_period(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, MILLISECONDS)
    period, board = race.begin(), race.event.board
    mirror_all()
    _, live = selectors.export_rows(board, "c7")
    before = list(live)

    copy = copy_period(period, LABEL, NOON)

    _, rows = selectors.export_rows(board, LABEL)
    exported = list(rows)
    assert exported == before
    assert {row.player: row.achieved_at for row in exported} == race.times()
    assert selectors.player_row(board, "p3", LABEL).row == next(row for row in exported if row.player == "p3")
    assert selectors.around(board, "p3", 2, LABEL).total == copy.players == 40
    assert distribution(board, LABEL).histogram == distribution(board, "c7").histogram


@WHO_DECIDES
def test_it_is_what_closing_at_that_moment_would_have_written(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, MILLISECONDS)
    empty = copy_period(race.open(), "c7-empty", NOON)
    period = race.begin()

    copy = copy_period(period, LABEL, NOON)
    close_due(ENDS + DAY)

    assert (empty.players, final(empty)) == (0, [])
    assert final(copy) == final(period)
    assert copy.content_hash == period_of(race.event).content_hash
    assert (copy.starts_at, copy.ends_at, copy.rules) == (period.starts_at, period.ends_at, period.rules)


@WHO_DECIDES
def test_twice_and_at_once_make_one_copy(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, MILLISECONDS)
    period = race.begin()
    before = race.shown()

    made = at_once([lambda: copy_period(period_of(race.event), LABEL, NOON).pk] * 4)
    race.go_on(NOON + timedelta(hours=1))
    made.append(copy_period(period, LABEL, NOON + timedelta(hours=2)).pk)

    assert len(set(made)) == 1
    assert frozen(race) == before


@WHO_DECIDES
def test_the_schedule_leaves_it_alone(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, MILLISECONDS)
    copy = copy_period(race.begin(), LABEL, NOON)
    before = frozen(race)

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
    assert frozen(race) == before


def test_where_redis_decides_and_is_away_there_is_no_copy_yet(declared: KnownEvents) -> None:
    period = Race(declared, "redis", MILLISECONDS).begin()

    with redis_away(), pytest.raises(redis.RedisAway):
        copy_period(period, LABEL, NOON)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)
    with pytest.raises(StorageUnavailable):
        copy_period(period, LABEL, NOON)

    assert not Period.objects.filter(label=LABEL).exists()
