"""What a board with score ranges may be, and when that changes."""

from typing import Any

import pytest

from foundation import clock
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Period
from leaderboards.services.boards import cancel_changes, pending_changes
from tests.leaderboards.services.test_board_partitions import FEW, applied


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
@pytest.mark.parametrize("wanted", [{}, {"ties": "shared"}, {"order": "asc"}, {"period": "all_time"}])
def test_a_divided_board_may_have_score_ranges(storage: str, wanted: dict[str, Any]) -> None:
    board = applied(storage=storage, partitions=4, score_ranges=True, **wanted)

    assert all(period.has_score_ranges for period in board.periods.all())


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({}, "`partitions`"),
        ({"storage": "sql"}, "`partitions`"),
        ({"period": "event"}, "`partitions`"),
        ({"partitions": 4, "encoding": "compact", "ties": "shared"}, "`encoding`"),
        ({"partitions": 4, **FEW}, "dense"),
    ],
)
def test_what_cannot_have_them_is_refused_with_the_reason(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(BadBoard) as refused:
        applied(score_ranges=True, **settings)

    assert refused.value.field == "score_ranges"
    assert why in refused.value.detail
    assert not Board.objects.exists()


def test_the_running_period_keeps_what_it_began_with_and_the_change_can_be_cancelled() -> None:
    at = clock.now()
    board = applied(at, partitions=4)
    changed = applied(at, partitions=4, score_ranges=True)

    running, coming = Period.objects.filter(board=board).order_by("starts_at")
    assert (running.has_score_ranges, coming.has_score_ranges) == (False, True)
    assert pending_changes(changed, at) == {"score_ranges": True}
    cancel_changes(changed, at)
    assert not Board.objects.get(pk=board.pk).score_ranges


def test_an_all_time_board_keeps_them() -> None:
    applied(partitions=4, period="all_time", score_ranges=True)

    with pytest.raises(BadBoard) as refused:
        applied(partitions=4, period="all_time", score_ranges=False)

    assert refused.value.field == "score_ranges"


def test_rules_of_an_older_release_have_none() -> None:
    assert not Period(partitions=4, rules_json={"order": "desc"}).has_score_ranges
