"""Who earns: by rank, by a share of the field, by points; against lists that are sorted and sliced."""

from decimal import Decimal
from fractions import Fraction
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competitions.core.rewards import FieldSummary, RankedPlayer, Tier, TierBasis, share_of, without_passed_over
from leaderboards.core.ranking.ranks import rank_scores
from leaderboards.core.ranking.rules import Order, Ties

POINTS = st.lists(st.integers(0, 12), max_size=40)
ORDERS = st.sampled_from(Order)
TIES = st.sampled_from(Ties)
LIMITS = st.decimals(0, 100, places=2)


def ranking(points: list[int], order: Order = Order.DESC, ties: Ties = Ties.SHARED) -> list[RankedPlayer]:
    """Players by their points, ranked as a board of these ties would."""
    best_first = sorted(enumerate(points), key=lambda each: each[1], reverse=order is Order.DESC)
    held = rank_scores([float(score) for _, score in best_first], ties)
    return [
        RankedPlayer(player, place.rank, Decimal(score))
        for (player, score), place in zip(best_first, held, strict=True)
    ]


def earners(tier: Tier, rows: list[RankedPlayer], order: Order = Order.DESC) -> set[int]:
    return {row.player for row in tier.earners(rows, FieldSummary(len(rows), order))}


@pytest.mark.parametrize(("total", "percent", "share"), [(10, "10", 1), (11, "10", 2), (3, "0.1", 1), (0, "50", 0)])
def test_a_share_of_the_field_is_rounded_up(total: int, percent: str, share: int) -> None:
    assert share_of(total, Decimal(percent)) == share


def test_criteria_reach_no_points() -> None:
    assert earners(Tier(TierBasis.POINTS, Decimal(0)), [RankedPlayer(1, 1, None)]) == set()


@given(POINTS, ORDERS, TIES, st.integers(1, 15), st.integers(0, 15))
def test_by_rank_as_a_list_says(points: list[int], order: Order, ties: Ties, first: int, last: int) -> None:
    rows = ranking(points, order, ties)

    found = earners(Tier(TierBasis.RANK, Decimal(last), first), rows, order)

    assert found == {row.player for row in rows if first <= row.rank <= last}


@given(POINTS, ORDERS, TIES, LIMITS)
def test_by_percent_as_a_list_says(points: list[int], order: Order, ties: Ties, percent: Decimal) -> None:
    rows = ranking(points, order, ties)

    found = earners(Tier(TierBasis.PERCENT, percent), rows, order)

    exactly = Fraction(len(rows)) * Fraction(percent) / 100
    share = next(whole for whole in count() if whole >= exactly)
    worst = rows[share - 1].rank if share else 0
    assert found == {row.player for row in rows if row.rank <= worst}


@given(POINTS, ORDERS, TIES, st.decimals(-1, 13, places=1))
def test_by_points_as_a_list_says(points: list[int], order: Order, ties: Ties, goal: Decimal) -> None:
    rows = ranking(points, order, ties)

    found = earners(Tier(TierBasis.POINTS, goal), rows, order)

    assert found == {n for n, own in enumerate(points) if (own >= goal if order is Order.DESC else own <= goal)}


@given(POINTS, TIES, st.sets(st.integers(0, 39)))
def test_whoever_is_in_line_ranks_as_if_those_passed_over_were_not_there_and_keeps_the_place(
    points: list[int], ties: Ties, passed_over: set[int]
) -> None:
    rows = ranking(points, ties=ties)

    found = list(without_passed_over(rows, passed_over, ties is Ties.DENSE))

    left = [row for row in rows if row.player not in passed_over]
    alone = rank_scores([float(row.points or 0) for row in left], ties)
    assert [(row.player, row.rank) for row in found] == [
        (row.player, place.rank) for row, place in zip(left, alone, strict=True)
    ]
    assert [row.place for row in found] == [row.rank for row in left]
