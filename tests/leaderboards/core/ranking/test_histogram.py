"""A histogram says of every score at least what the sorted list says, and never errs by more than it admits."""

import math
from bisect import bisect_left, bisect_right

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboards.core.ranking.histogram import (
    PARTS,
    Bounds,
    Edge,
    Histogram,
    bounds_in,
    percentile_in,
    places_of_edges,
    top_percent,
)
from leaderboards.core.ranking.ranks import percentile
from leaderboards.core.ranking.rules import Order, Rules, Ties

FEW = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=60)
MANY = (
    st.integers(1, 5000)
    .flatmap(
        lambda size: st.tuples(st.just(size), st.sampled_from([1, 3, 50, 10**9]), st.randoms(use_true_random=False))
    )
    .map(lambda made: [float(made[2].randrange(made[1])) for _ in range(made[0])])
)
SCORES = st.one_of(FEW, MANY)
RULES = st.builds(Rules, order=st.sampled_from(Order), ties=st.sampled_from(Ties))


def histogram_of(scores: list[float], order: Order = Order.DESC) -> Histogram:
    """What a store would count."""
    ordered = sorted(scores)
    edges = {ordered[place] for place in places_of_edges(len(ordered), order)}
    return Histogram.of(len(ordered), [_edge(ordered, score) for score in edges])


def _edge(ordered: list[float], score: float) -> Edge:
    below = bisect_left(ordered, score)
    return Edge(score, below, bisect_right(ordered, score) - below)


def exact(scores: list[float], rules: Rules, place: int) -> tuple[float, float]:
    """Top and percentile of the player at a place, best first, by their rank."""
    best_first = sorted(scores, reverse=rules.order is Order.DESC)
    if rules.ties.by_time:
        ahead, below = place, len(scores) - 1 - place
    else:
        ahead = best_first.index(best_first[place])
        below = len(scores) - ahead - best_first.count(best_first[place])
    return top_percent(len(scores), ahead), percentile(len(scores), below)


@given(SCORES, RULES, st.integers(0, 10**6))
def test_a_percentile_is_off_by_its_error_at_most_and_never_flatters(
    scores: list[float], rules: Rules, seed: int
) -> None:
    place = seed % len(scores)
    score = sorted(scores, reverse=rules.order is Order.DESC)[place]
    top, share = exact(scores, rules, place)

    found = percentile_in([histogram_of(scores, rules.order)], score, rules)

    assert _tenths(found.top - found.error) <= _tenths(top) <= _tenths(found.top)
    assert _tenths(found.percentile) <= _tenths(share) <= _tenths(found.percentile + found.error)


@given(MANY, RULES, st.integers(0, 10**6))
def test_the_error_is_a_thousandth_or_the_share_of_equals_whose_order_nobody_knows(
    scores: list[float], rules: Rules, seed: int
) -> None:
    score = scores[seed % len(scores)]

    found = percentile_in([histogram_of(scores, rules.order)], score, rules)

    equals = scores.count(score) if rules.ties.by_time else 0
    most = max(equals, len(scores) // PARTS)
    assert _tenths(found.error) <= max(1, math.ceil(most * 1000 / max(1, len(scores) - 1)))


@given(FEW, RULES)
def test_on_few_players_with_shared_ranks_it_is_exact(scores: list[float], rules: Rules) -> None:
    if rules.ties.by_time:
        return
    for place in range(len(scores)):
        score = sorted(scores, reverse=rules.order is Order.DESC)[place]
        found = percentile_in([histogram_of(scores, rules.order)], score, rules)
        assert (found.top, found.percentile, found.error) == (*exact(scores, rules, place), 0.0)


@given(st.lists(SCORES, min_size=1, max_size=4), RULES, st.integers(0, 10**6))
def test_histograms_of_partitions_add_up_and_so_do_their_errors(
    parts: list[list[float]], rules: Rules, seed: int
) -> None:
    everybody = sorted(score for part in parts for score in part)
    score = everybody[seed % len(everybody)]
    below, above = bisect_left(everybody, score), len(everybody) - bisect_right(everybody, score)

    found = bounds_in([histogram_of(part, rules.order) for part in parts], score)

    assert found.least_below <= below <= found.most_below
    assert found.least_above <= above <= found.most_above
    assert found.most_below - found.least_below <= sum(len(part) // PARTS for part in parts)
    width = percentile_in([histogram_of(part, rules.order) for part in parts], score, rules).error
    equals = everybody.count(score) if rules.ties.by_time else 0
    slack = (sum(len(part) // PARTS for part in parts) + equals) * 1000 / max(1, len(everybody) - 1)
    assert _tenths(width) <= math.ceil(slack)


@given(SCORES, st.floats(allow_nan=False, allow_infinity=False))
def test_bounds_hold_for_scores_that_nobody_has(scores: list[float], score: float) -> None:
    below = sum(each < score for each in scores)
    above = sum(each > score for each in scores)
    found = histogram_of(scores)

    told = found.bounds(score)

    assert told.least_below <= below <= told.most_below
    assert told.least_above <= above <= told.most_above
    assert told.least_below <= found.count_below(score) <= told.most_below


@given(SCORES, st.sampled_from(Order))
def test_the_score_at_a_place_is_that_place_or_within_a_gap_of_it(scores: list[float], order: Order) -> None:
    best_first = sorted(scores, reverse=order is Order.DESC)
    found = histogram_of(scores, order)
    for place in range(0, len(scores), max(1, len(scores) // 50)):
        told = found.score_at(place, order)
        better = best_first.index(told)
        assert better <= place <= best_first.index(told) + best_first.count(told) - 1 + found.widest_gap
    for place in {min(len(scores) * share // PARTS, len(scores) - 1) for share in (0, 10, 500, 1000)}:
        assert found.score_at(place, order) == best_first[place]


@given(SCORES, st.data())
def test_without_some_players_it_is_the_histogram_of_the_others(scores: list[float], data: st.DataObject) -> None:
    gone = data.draw(st.lists(st.sampled_from(range(len(scores))), unique=True, max_size=20))
    left = [score for nth, score in enumerate(scores) if nth not in gone]

    found = histogram_of(scores).without([scores[nth] for nth in gone])

    assert found.total == len(left)
    for edge in found.edges:
        assert edge == _edge(sorted(left), edge.score)


@given(SCORES)
def test_it_is_stored_as_bytes_to_the_last_bit(scores: list[float]) -> None:
    extremes = [5e-324, 1.7976931348623157e308, 2.0**53]
    found = histogram_of(scores + extremes)

    assert Histogram.from_bytes(found.to_bytes()) == found


@pytest.mark.parametrize(
    "wrong", [b"", b"\x01", Histogram(0, ()).to_bytes() + b"\0", b"\x02" + Histogram(0, ()).to_bytes()[1:]]
)
def test_other_bytes_are_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError, match="no histogram"):
        Histogram.from_bytes(wrong)


def test_scores_that_come_and_go_while_it_is_counted_leave_it_in_order() -> None:
    found = Histogram.of(3, [Edge(1.0, 0, 1), Edge(2.0, 1, 2)])

    assert found.without([1.0, 1.0, 2.0, 2.0, 2.0]) == Histogram(0, (Edge(1.0, 0, 0), Edge(2.0, 0, 0)))
    assert Histogram(5, ()).bounds(1.0) == Bounds(0, 5, 0, 5)
    assert Histogram(0, ()).widest_gap == 0


@given(SCORES)
@example([0.0])
def test_the_only_player_is_within_the_best_hundred_percent_and_ahead_of_everybody_else(scores: list[float]) -> None:
    rules = Rules(ties=Ties.SHARED)

    found = percentile_in([histogram_of(scores[:1])], scores[0], rules)

    assert found == (100.0, 100.0, 0.0)


@pytest.mark.parametrize(("total", "ahead", "top"), [(1000, 0, 0.1), (1000, 29, 3.0), (1001, 29, 3.0), (3, 0, 33.4)])
def test_the_top_is_rounded_up_so_that_it_is_true(total: int, ahead: int, top: float) -> None:
    assert top_percent(total, ahead) == top


@pytest.mark.parametrize(("total", "ahead"), [(0, 0), (3, 3), (3, -1)])
def test_nobody_has_more_ahead_of_them_than_there_are(total: int, ahead: int) -> None:
    with pytest.raises(ValueError, match="cannot be ahead"):
        top_percent(total, ahead)


def _tenths(percent: float) -> int:
    return round(percent * 10)
