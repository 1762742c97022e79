"""Two players compared: who was ahead how often, and lines that share their axes."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.comparison import EDGE, HEIGHT, WIDTH, Tally, drawn_lines, tally

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
HOURS = [NOON + timedelta(hours=hour) for hour in range(3)]
RANKS = st.tuples(st.integers(1, 9), st.integers(1, 9))


def test_the_smaller_rank_is_ahead_and_equal_ones_are_level() -> None:
    assert tally([(1, 2), (3, 2), (4, 4), (5, 9)]) == Tally(2, 1, 1)
    assert tally([]).periods == 0


@given(st.lists(RANKS))
def test_seen_from_the_other_side_the_tally_is_the_other_way_round(ranks: list[tuple[int, int]]) -> None:
    there, back = tally(ranks), tally((other, one) for one, other in ranks)

    assert (there.first, there.second, there.level) == (back.second, back.first, back.level)
    assert there.periods == len(ranks)


@pytest.mark.parametrize(("greater_is_up", "best_y"), [(True, EDGE), (False, HEIGHT - EDGE)])
def test_lines_share_their_axes_and_the_better_is_up(greater_is_up: bool, best_y: int) -> None:
    lines = drawn_lines(HOURS, [[0, 5, 10], [0, 0, 5]], greater_is_up=greater_is_up)

    assert lines is not None
    assert [(line.x, line.y) for line in lines] == [(WIDTH - EDGE, best_y), (WIDTH - EDGE, HEIGHT / 2)]


def test_what_is_unknown_is_a_gap() -> None:
    lines = drawn_lines([*HOURS, NOON + timedelta(hours=3)], [[1, None, 2, 3], [1, 1, None, 1]], greater_is_up=True)

    assert lines is not None
    assert [line.path.count("M") for line in lines] == [2, 2]


@pytest.mark.parametrize(
    ("moments", "values"),
    [([], [[], []]), (HOURS[:1], [[1], [2]]), (HOURS, [[1, 2, 3], [None, None, 3]]), (HOURS, [[None] * 3] * 2)],
)
def test_there_is_no_line_of_one_point(moments: list[datetime], values: list[list[int | None]]) -> None:
    assert drawn_lines(moments, values, greater_is_up=True) is None


def test_all_equal_stand_in_the_middle() -> None:
    lines = drawn_lines(HOURS, [[7, 7, 7], [7, 7, 7]], greater_is_up=True)

    assert lines is not None
    assert {line.y for line in lines} == {HEIGHT / 2}
