"""Ranks and percentiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.ranking.ranks import SharedRank, percentile, rank_scores
from leaderboards.core.ranking.rules import Ties

BEST_FIRST = [9.0, 7.0, 7.0, 7.0, 3.0, 3.0, 1.0]
ALONE, SHARED = [1] * 7, [1, 3, 3, 3, 2, 2, 1]


@pytest.mark.parametrize(
    ("ties", "ranks", "tied"),
    [
        (Ties.FIRST_COME, [1, 2, 3, 4, 5, 6, 7], ALONE),
        (Ties.LAST_COME, [1, 2, 3, 4, 5, 6, 7], ALONE),
        (Ties.SHARED, [1, 2, 2, 2, 5, 5, 7], SHARED),
        (Ties.DENSE, [1, 2, 2, 2, 3, 3, 4], SHARED),
    ],
)
def test_equals_share_a_rank_unless_time_decides(ties: Ties, ranks: list[int], tied: list[int]) -> None:
    assert rank_scores(BEST_FIRST, ties) == [SharedRank(*each) for each in zip(ranks, tied, strict=True)]
    assert rank_scores([], ties) == []


@given(st.lists(st.integers(0, 5)))
def test_a_rank_is_one_more_than_the_players_or_scores_strictly_better(points: list[int]) -> None:
    most_first, least_first = sorted(map(float, points), reverse=True), sorted(map(float, points))

    shared = [place.rank for place in rank_scores(most_first, Ties.SHARED)]
    dense = [place.rank for place in rank_scores(least_first, Ties.DENSE)]

    assert shared == [1 + sum(1 for other in most_first if other > score) for score in most_first]
    assert dense == [1 + len({other for other in least_first if other < score}) for score in least_first]


def test_the_percentile_is_the_share_of_the_others_below_rounded_down() -> None:
    shares = {(1, 0): 100.0, (2, 1): 100.0, (2, 0): 0.0, (4, 2): 66.6, (3, 1): 50.0, (1001, 999): 99.9, (7, 1): 16.6}

    assert {each: percentile(*each) for each in shares} == shares
    for total, below in ((0, 0), (3, 3), (3, -1)):
        with pytest.raises(ValueError, match="cannot be ranked below"):
            percentile(total, below)
