"""The demo's past: made once, through the services, with places that change and results that stay."""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from django.test import Client

from config.local.seeding.history import PLAYERS, STORIES, make_history
from config.local.seeding.seed import make_boards
from config.local.strength import FIRSTS_PLACE
from foundation import clock
from leaderboards.models import (
    Board,
    FinalStanding,
    Period,
    PeriodSnapshot,
    PeriodState,
    Player,
    RankHistoryEntry,
    Submission,
)
from leaderboards.selectors import standings
from leaderboards.selectors.history.race import race_snapshots
from leaderboards.services.periods.retention import thin_snapshots

pytestmark = pytest.mark.django_db(transaction=True)

MODELS = (Period, PeriodSnapshot, RankHistoryEntry, FinalStanding, Submission)


@pytest.fixture
def at() -> datetime:
    make_boards()
    return clock.now()


def test_boards_have_months_of_results_and_a_race_in_which_places_change(at: datetime) -> None:
    make_history(at)

    for name, story in STORIES.items():
        board = Board.objects.get(name=name)
        final = Period.objects.filter(board=board, state=PeriodState.FINAL)
        assert final.count() == story.over, name
        assert all(FinalStanding.objects.filter(period=each).exists() for each in final), name
    assert Player.objects.exclude(name="").count() == PLAYERS
    week = Board.objects.get(name="Weekly wins")
    found = standings(week, limit=PLAYERS)
    assert found.total == PLAYERS
    assert found.rows[FIRSTS_PLACE - 1].player == "robin"
    looks = list(PeriodSnapshot.objects.filter(period__board=week).order_by("due_at"))
    leaders = {RankHistoryEntry.objects.get(snapshot=look, rank=1).player_id for look in looks}
    assert looks[-1].due_at - looks[0].due_at > timedelta(days=4)
    assert len(leaders) > 1
    past = race_snapshots(week, found.period, found.rules, looks[-1].taken_at)
    assert past is not None
    assert len(past.columns) >= 8
    assert sum(day.snapshot is not None or day.is_first for day in past.days) >= 5
    page = Client().get(f"/boards/{week.seq}/").content.decode()
    assert page.count("race-line") == 10
    assert "<td class=up>" in page
    thin_snapshots(at)  # as a worker does within hours
    for name in ("Weekly wins", "Golf"):
        last = Period.objects.filter(board__name=name, state=PeriodState.FINAL).latest("starts_at")
        assert Client().get(f"/boards/{last.board_id}/?period={last.label}").content.count(b"race-line") == 10, name


def test_points_are_spread_with_a_leader_ahead_close_groups_ties_and_a_long_tail(at: datetime) -> None:
    make_history(at)

    board = Board.objects.get(name="Weekly wins")
    points = [int(row.points or 0) for row in standings(board, limit=PLAYERS).rows]
    first, second = points[:2]
    assert first - second > first * 0.03
    assert points[9] < first * 0.7
    assert points[-1] < first * 0.05
    close = [ahead - behind for ahead, behind in pairwise(points[:15]) if ahead - behind < 100]
    assert len(close) >= 5
    rows = standings(Board.objects.get(name="Golf"), limit=PLAYERS).rows
    assert any((row.tied or 0) > 1 for row in rows)
    last = Period.objects.filter(board=board, state=PeriodState.FINAL).latest("starts_at")
    finals = [int(row.points or 0) for row in standings(board, last.label, limit=10).rows]
    assert finals[9] < finals[0] * 0.7
    assert FinalStanding.objects.filter(period__board=board, rank=1).values("player").distinct().count() > 1


def test_a_second_start_makes_nothing_twice_and_a_retired_board_is_left_alone(at: datetime) -> None:
    Board.objects.filter(name="Golf").update(retired_at=at)
    make_history(at)
    counted = [model.objects.count() for model in MODELS]

    make_history(at + timedelta(hours=3))

    assert [
        model.objects.count() for model in (Period, PeriodSnapshot, RankHistoryEntry, FinalStanding, Submission)
    ] == counted
    assert not PeriodSnapshot.objects.filter(period__board__name="Golf").exists()


@pytest.mark.parametrize("hour", [0, 1, 13])
def test_it_is_made_at_any_hour(at: datetime, hour: int) -> None:
    there = at.replace(hour=hour, minute=0, second=0, microsecond=0) - timedelta(days=hour > at.hour)

    make_history(there)

    assert PeriodSnapshot.objects.filter(period__board__name="All time").count() > 10
