"""What is drawn: a player's places as a line, and who stands on the podium."""

from datetime import UTC, datetime, timedelta

import pytest

from leaderboards.selectors.history.final_ranks import PastRank
from leaderboards.views.components.line_chart import EDGE, HEIGHT, MAX_CHANGES, MAX_POINTS, WIDTH, changes, chart
from leaderboards.views.components.podium import podium
from leaderboards.views.components.table_rows import Line

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def way(*ranks: int) -> list[PastRank]:
    return [PastRank(NOON + timedelta(minutes=30 * nth), rank, "") for nth, rank in enumerate(ranks)]


def test_the_best_place_is_at_the_top_time_goes_to_the_right_and_one_moment_is_no_line() -> None:
    drawn, level = chart(way(9, 1, 5)), chart(way(3, 3))

    assert drawn is not None
    assert drawn.line == "12,188 300,12 588,100"
    assert (drawn.last_x, drawn.last_y) == ("588", "100")
    assert (drawn.best, drawn.worst) == (1, 9)
    assert level is not None
    assert level.line == "12,100 588,100"
    assert chart([]) is chart(way(4)) is None


def test_ten_thousand_moments_stay_a_drawing_that_ends_with_the_last() -> None:
    moments = way(*(1 + nth % 7 for nth in range(10_000)), 50)

    drawn, steps = chart(moments), changes(moments)

    assert drawn is not None
    assert len(drawn.line.split()) <= MAX_POINTS
    assert drawn.line.endswith(f"{WIDTH - EDGE},{HEIGHT - EDGE}")
    assert len(steps) == MAX_CHANGES
    assert steps[0].rank == 50
    assert [moment.rank for moment in changes(way(4, 4, 2, 2, 2, 3))] == [3, 2, 4]  # the latest first


@pytest.mark.parametrize(
    ("ranks", "shown"),
    [
        ((1, 2, 3, 4), [1, 2, 3]),
        ((1, 2, 3), [1, 2, 3]),
        ((1, 1, 3, 4), [1, 1, 3]),
        ((1, 2, 2, 4), [1, 2, 2]),
        ((1, 1, 1, 4), [1, 1, 1]),
        *((ranks, []) for ranks in ((1, 2, 3, 3), (1, 1, 1, 1), (1, 2), (), (None, None, None))),
    ],
)
def test_three_stand_on_the_podium_or_nobody(ranks: tuple[int | None, ...], shown: list[int]) -> None:
    lines = [Line(f"p{nth}", f"p{nth}", rank, False, ["1"], None, False) for nth, rank in enumerate(ranks)]

    assert [line.rank for line in podium(lines)] == shown
