"""The drawing of a player's places: best at the top, the latest at the right, never more than can be seen."""

from datetime import UTC, datetime, timedelta

from leaderboards.selectors.past import PastRank
from leaderboards.views.chart import EDGE, HEIGHT, MOST_CHANGES, MOST_POINTS, WIDTH, changes, chart

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def way(*ranks: int) -> list[PastRank]:
    return [PastRank(NOON + timedelta(minutes=30 * nth), rank, "") for nth, rank in enumerate(ranks)]


def test_the_best_place_is_at_the_top_time_goes_to_the_right_and_one_moment_is_no_line() -> None:
    drawn, level = chart(way(9, 1, 5)), chart(way(3, 3))

    assert drawn is not None
    assert drawn.line == "12.0,188.0 300.0,12.0 588.0,100.0"
    assert (drawn.last_x, drawn.last_y) == ("588.0", "100.0")
    assert (drawn.best, drawn.worst) == (1, 9)
    assert level is not None
    assert level.line == "12.0,100.0 588.0,100.0"
    assert chart([]) is chart(way(4)) is None


def test_ten_thousand_moments_stay_a_drawing_that_ends_with_the_last() -> None:
    moments = way(*(1 + nth % 7 for nth in range(10_000)), 50)

    drawn, steps = chart(moments), changes(moments)

    assert drawn is not None
    assert len(drawn.line.split()) <= MOST_POINTS
    assert drawn.line.endswith(f"{WIDTH - EDGE}.0,{HEIGHT - EDGE}.0")
    assert len(steps) == MOST_CHANGES
    assert steps[0].rank == 50


def test_the_table_has_only_changes_the_latest_first() -> None:
    assert [moment.rank for moment in changes(way(4, 4, 2, 2, 2, 3))] == [3, 2, 4]
