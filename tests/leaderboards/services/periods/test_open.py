"""Opening when a zone's own rules have changed since the rows were made: here the rows are moved, not the zone."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models import F

from leaderboards.core.periods import next_window, window_at
from leaderboards.models import Board, Period
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_due
from tests.leaderboards.services.site import DAY, NOON, crowd, make_board, period_of, points, score

HOUR = timedelta(hours=1)
TIME_LEFT: dict[str, Any] = {"tie_break": "score", "maximum": 1000, "total_maximum": 1000}


def made_by_other_rules(board: Board, shift: timedelta, at: datetime = NOON) -> tuple[Period, Period]:
    """The running and the next period, as if the cut-off had come so much later when they were made."""
    Period.objects.filter(board=board, starts_at__gt=at).update(starts_at=F("starts_at") + shift)
    Period.objects.filter(board=board).update(ends_at=F("ends_at") + shift)
    running, following = Period.objects.filter(board=board).order_by("starts_at")
    return running, following


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
@pytest.mark.parametrize("shift", [-HOUR, HOUR], ids=["later", "sooner"])
def test_what_has_not_begun_gets_its_window_anew_and_the_running_period_ends_where_it_begins(
    storage: str, shift: timedelta
) -> None:
    board = make_board(storage, tie_break="member")
    crowd(board, {"a": 5})
    running, following = made_by_other_rules(board, shift)
    began = running.starts_at

    open_due(NOON)
    open_due(NOON)

    running.refresh_from_db()
    following.refresh_from_db()
    window = window_at(board.calendar, NOON)
    assert following.window == next_window(board.calendar, window)
    assert (running.starts_at, running.ends_at) == (began, following.starts_at)
    assert running.ends_at == window.ends_at
    assert points(board) == {"a": 5}


def test_a_period_that_is_over_keeps_its_window() -> None:
    board = make_board("sql")
    running, _ = made_by_other_rules(board, -HOUR)
    close_due(NOON + DAY)
    stored = Period.objects.get(pk=running.pk)

    open_due(NOON)

    assert (stored.state, Period.objects.get(pk=running.pk).window) == ("final", stored.window)


def test_scores_that_hold_the_time_left_keep_their_end_and_whoever_comes_until_the_zones_end_counts() -> None:
    board = make_board("hybrid", grace_seconds=0, **TIME_LEFT)
    crowd(board, {"a": 5})
    running, following = made_by_other_rules(board, -HOUR)
    ends_at = running.ends_at
    assert ends_at is not None

    open_due(NOON)
    closed = [close_due(ends_at + step * HOUR / 2) for step in range(2)]
    late = score(board, {"b": 9}, ends_at + HOUR / 2)
    [final] = close_due(ends_at + HOUR)

    running.refresh_from_db()
    following.refresh_from_db()
    assert running.ends_at == ends_at
    assert following.starts_at == ends_at + HOUR
    assert closed == [[], []]
    assert [outcome.status for outcome in late] == ["updated"]
    assert (final.final, final.players, period_of(board).state) == (True, 2, "final")
