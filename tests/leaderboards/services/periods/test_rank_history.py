"""Kept ranks: one look for each time of the grid, with the very ranks of the page; harmless late, twice and at once."""

from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from pytest_django import Settings

from leaderboards.models import Period, PeriodSnapshot, PeriodState, RankHistoryEntry
from leaderboards.selectors import standings
from leaderboards.services.periods import rank_history
from leaderboards.services.periods.rank_history import record_due_rank_history, record_rank_history, snapshot_time
from leaderboards.services.periods.retention import thin_snapshots
from tests import playing
from tests.at_once import at_once
from tests.leaderboards.services.site import DAY, NOON, crowd, make_board, period_of, redis_away, score

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
MIDNIGHT = NOON.replace(hour=0)
WINTER = datetime(2031, 1, 10, tzinfo=UTC)  # no clock is changed


def kept(period: Period) -> list[tuple[str, int, int | None]]:
    found = RankHistoryEntry.objects.filter(snapshot__period=period).order_by("snapshot", "rank", "player__external_id")
    return list(found.values_list("player__external_id", "rank", "points"))


@pytest.mark.parametrize(
    ("storage", "ties", "order"),
    [("hybrid", "first_come", "desc"), ("redis", "shared", "asc"), ("sql", "dense", "desc"), ("redis", "dense", "asc")],
)
def test_what_is_kept_are_the_ranks_and_points_of_the_page(storage: str, ties: str, order: str) -> None:
    board = make_board(storage, period="all_time", ties=ties, order=order, decimals=1)
    score(board, {"ann": 9, "bob": 5, "cleo": 9, "dan": 7})
    period = crowd(board, 3)
    criteria = [{"name": "stage", "max": 9, "order": "desc"}, {"name": "deaths", "max": 9, "order": "asc"}]
    playing.score(playing.make_board(period="all_time", criteria=criteria), {"ann": {"stage": 3, "deaths": 1}})

    assert record_due_rank_history(NOON) == 2

    snapshot = PeriodSnapshot.objects.get(period=period)
    shown = [(row.player, row.rank, row.points) for row in standings(board).rows]
    assert sorted((name, rank, (points or 0) / 10) for name, rank, points in kept(period)) == sorted(shown)
    assert (snapshot.total, snapshot.is_whole, snapshot.due_at, snapshot.taken_at) == (7, True, NOON, NOON)
    row = RankHistoryEntry.objects.exclude(snapshot=snapshot).get()
    assert (row.rank, row.points, row.fields) == (1, None, [3, 1])


@patch.object(rank_history, "MOST_PLAYERS", 3)
def test_the_grid_is_of_hours_and_a_late_run_takes_the_latest_alone_and_the_best_alone(settings: Settings) -> None:
    period = crowd(make_board("hybrid"), 5)
    late = NOON + 5 * HOUR + 7 * MINUTE

    settings.RANK_SNAPSHOT_PLAYERS = 0
    assert record_due_rank_history(late) == 0
    settings.RANK_SNAPSHOT_PLAYERS = 25_000_000
    assert [record_due_rank_history(late), record_due_rank_history(late + MINUTE)] == [1, 0]
    settings.RANK_SNAPSHOT_MINUTES = 5
    assert snapshot_time(late + MINUTE) == NOON + 5 * HOUR + 5 * MINUTE

    assert kept(period) == [("p4", 1, 5), ("p3", 2, 4), ("p2", 3, 3)]
    snapshot = PeriodSnapshot.objects.get()
    assert (snapshot.due_at, snapshot.taken_at) == (NOON + 5 * HOUR, late)
    assert (snapshot.total, snapshot.is_whole) == (5, False)


def test_periods_that_do_not_run_are_not_looked_at_and_competitions_look_at_theirs() -> None:
    period = crowd(make_board("hybrid"), 2)
    races = make_board("hybrid", name="Races", period="event")
    of_a_race = {"starts_at": NOON - DAY, "ends_at": NOON + DAY, "rules_json": races.rules.to_json()}
    Period.objects.create(board=races, label="c1", **of_a_race)

    assert record_due_rank_history(MIDNIGHT) == 0  # it begins at this moment: nobody stands yet
    assert record_due_rank_history(MIDNIGHT + DAY) == 0  # and ends at this one
    Period.objects.filter(pk=period.pk).update(state=PeriodState.CLOSING)
    assert record_due_rank_history(NOON) == 0


def test_looked_at_at_once_it_is_kept_once() -> None:
    period = crowd(make_board("hybrid"), 50)

    kept_by = at_once([lambda: record_rank_history(Period.objects.get(pk=period.pk), NOON, NOON)] * 4)

    assert sorted(kept_by) == [False, False, False, True]
    assert (PeriodSnapshot.objects.count(), RankHistoryEntry.objects.count()) == (1, 50)


def test_nothing_is_kept_while_redis_does_not_have_the_present_state() -> None:
    stale, away = crowd(make_board("hybrid", name="Stale"), 2), crowd(make_board("redis", name="Away"), 2)
    sql = crowd(make_board("sql"), 2)
    Period.objects.filter(pk=stale.pk).update(stale_since=NOON)

    with redis_away():
        assert record_due_rank_history(NOON) == 1

    assert [len(kept(period)) for period in (stale, away, sql)] == [0, 0, 2]
    assert record_due_rank_history(NOON + MINUTE) == 1
    assert [len(kept(period)) for period in (stale, away, sql)] == [0, 2, 2]


def test_each_look_is_kept_for_two_days_and_then_the_first_of_each_day() -> None:
    period = period_of(make_board("hybrid", period="month"))
    for hours in range(5, 24 * 5, 6):
        at = MIDNIGHT + hours * HOUR
        PeriodSnapshot.objects.create(period=period, due_at=at, taken_at=at, total=1, is_whole=True)

    gone = thin_snapshots(MIDNIGHT + 4 * DAY)

    days = [MIDNIGHT + day * DAY + 5 * HOUR for day in range(5)]
    recent = [MIDNIGHT + hours * HOUR for hours in range(2 * 24 + 5, 5 * 24, 6)]
    left = PeriodSnapshot.objects.order_by("due_at").values_list("due_at", flat=True)
    assert list(left) == sorted({*days, *recent})
    assert gone == 6
    assert thin_snapshots(MIDNIGHT + 4 * DAY) == 0


@pytest.mark.parametrize(
    ("zone", "cutoff", "begins"), [("Asia/Seoul", "00:00", 15), ("America/New_York", "04:30", 10), ("UTC", "06:00", 6)]
)
def test_days_are_those_of_the_boards_clock(zone: str, cutoff: str, begins: int) -> None:
    board = make_board("hybrid", at=WINTER, period="month", timezone=zone, cutoff=cutoff)
    period = period_of(board, WINTER)
    for hours in range(24 * 3):
        at = WINTER + hours * HOUR
        PeriodSnapshot.objects.create(period=period, due_at=at, taken_at=at, total=1, is_whole=True)

    thin_snapshots(WINTER + 30 * DAY)

    left = list(PeriodSnapshot.objects.order_by("due_at").values_list("due_at", flat=True))
    assert left[0] == WINTER
    assert [at.hour for at in left[1:]] == [begins] * len(left[1:])
    assert len(left) == 4


def test_kept_ranks_go_when_their_period_expires_and_of_all_time_after_a_year_and_more() -> None:
    over, ends_never = crowd(make_board("hybrid"), 2), crowd(make_board("hybrid", name="Always", period="all_time"), 2)
    record_due_rank_history(NOON)
    Period.objects.filter(pk=over.pk).update(state=PeriodState.FINAL)

    assert thin_snapshots(NOON + 400 * DAY) == 0
    Period.objects.filter(pk=over.pk).update(state=PeriodState.EXPIRED)
    assert thin_snapshots(NOON + 400 * DAY) == 1
    assert [len(kept(period)) for period in (over, ends_never)] == [0, 2]
    assert thin_snapshots(NOON + 401 * DAY) == 1
    assert not RankHistoryEntry.objects.exists()
