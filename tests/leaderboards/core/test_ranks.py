"""Ranks and percentiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.ranks import Place, percentile, places
from leaderboards.core.rules import Ties

BEST_FIRST = [9.0, 7.0, 7.0, 7.0, 3.0, 3.0, 1.0]


@pytest.mark.parametrize("ties", [Ties.FIRST_COME, Ties.LAST_COME])
def test_nobody_shares_a_rank_where_time_decides(ties: Ties) -> None:
    assert places(BEST_FIRST, ties) == [Place(rank, 1) for rank in (1, 2, 3, 4, 5, 6, 7)]


def test_shared_ranks_leave_gaps() -> None:
    assert [place.rank for place in places(BEST_FIRST, Ties.SHARED)] == [1, 2, 2, 2, 5, 5, 7]


def test_dense_ranks_leave_none() -> None:
    assert [place.rank for place in places(BEST_FIRST, Ties.DENSE)] == [1, 2, 2, 2, 3, 3, 4]


@pytest.mark.parametrize("ties", [Ties.SHARED, Ties.DENSE])
def test_everybody_knows_how_many_share_his_rank(ties: Ties) -> None:
    assert [place.tied for place in places(BEST_FIRST, ties)] == [1, 3, 3, 3, 2, 2, 1]


@pytest.mark.parametrize("ties", Ties)
def test_an_empty_board_has_no_places(ties: Ties) -> None:
    assert places([], ties) == []


@given(st.lists(st.integers(0, 5)))
def test_a_shared_rank_is_one_more_than_the_players_strictly_better(points: list[int]) -> None:
    scores = sorted(map(float, points), reverse=True)

    ranks = [place.rank for place in places(scores, Ties.SHARED)]

    assert ranks == [1 + sum(1 for other in scores if other > score) for score in scores]


@given(st.lists(st.integers(0, 5)))
def test_a_dense_rank_is_one_more_than_the_distinct_scores_strictly_better(points: list[int]) -> None:
    scores = sorted(map(float, points))

    ranks = [place.rank for place in places(scores, Ties.DENSE)]

    assert ranks == [1 + len({other for other in scores if other < score}) for score in scores]


@pytest.mark.parametrize(
    ("total", "below", "share"),
    [(1, 0, 100.0), (2, 1, 100.0), (2, 0, 0.0), (4, 2, 66.6), (3, 1, 50.0), (1001, 999, 99.9), (7, 1, 16.6)],
)
def test_the_percentile_is_the_share_of_the_others_below_rounded_down(total: int, below: int, share: float) -> None:
    assert percentile(total, below) == share


@given(st.integers(2, 10**9), st.data())
def test_a_percentile_has_one_decimal(total: int, data: st.DataObject) -> None:
    below = data.draw(st.integers(0, total - 1))

    assert len(str(percentile(total, below)).split(".")[1]) == 1


@pytest.mark.parametrize(("total", "below"), [(0, 0), (3, 3), (3, -1)])
def test_a_share_of_nobody_is_a_mistake_of_the_program(total: int, below: int) -> None:
    with pytest.raises(ValueError, match="cannot be ranked below"):
        percentile(total, below)
