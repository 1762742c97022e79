"""A league's rules: places, who moves, which tier follows, and how groups are filled."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competitions.core.leagues import LeagueRules, Outcome, fill, next_tier, places

UP, STAY, DOWN = Outcome.PROMOTED, Outcome.STAYED, Outcome.DEMOTED
sizes = st.integers(2, 8)


@st.composite
def rules(draw: st.DrawFn) -> LeagueRules:
    size = draw(sizes)
    promoted = draw(st.integers(1, size))
    return LeagueRules(size, promoted, draw(st.integers(0, size - promoted)), draw(st.integers(2, 5)))


def outcomes(rule: LeagueRules, tier: int, equals: list[int]) -> list[Outcome]:
    return [rule.outcome(tier, place, len(equals)) for place in places(equals)]


def test_those_who_tie_share_the_best_of_their_places() -> None:
    assert places([9, 7, 7, 7, 1]) == [1, 2, 2, 2, 5]
    assert places([]) == []


@pytest.mark.parametrize(
    ("tier", "expected"),
    [(1, [UP, UP, STAY, STAY, STAY]), (2, [UP, UP, STAY, STAY, DOWN]), (3, [STAY, STAY, STAY, STAY, DOWN])],
)
def test_the_first_move_up_and_the_last_down_but_not_beyond_the_ends_of_the_ladder(
    tier: int, expected: list[Outcome]
) -> None:
    assert outcomes(LeagueRules(5, 2, 1, 3), tier, [5, 4, 3, 2, 1]) == expected


def test_ties_at_an_edge_are_decided_for_the_player() -> None:
    rule = LeagueRules(6, 2, 2, 3)

    assert outcomes(rule, 2, [9, 7, 7, 7, 5, 1]) == [UP, UP, UP, UP, DOWN, DOWN]
    assert outcomes(rule, 2, [9, 8, 7, 5, 5, 1]) == [UP, UP, STAY, STAY, STAY, DOWN]
    assert outcomes(rule, 2, [9, 8, 7, 5, 5, 5]) == [UP, UP, STAY, STAY, STAY, STAY]


@pytest.mark.parametrize("members", [1, 2, 3])
def test_in_a_small_group_nobody_among_those_who_move_up_is_demoted(members: int) -> None:
    rule = LeagueRules(6, 2, 2, 3)

    assert outcomes(rule, 2, list(range(members, 0, -1))) == [UP, UP, DOWN][:members]
    assert outcomes(rule, 3, list(range(members, 0, -1))) == [STAY, STAY, DOWN][:members]


@pytest.mark.parametrize(
    ("entered", "ranked", "expected"),
    [(1, 1, True), (5, 5, True), (6, 6, False), (6, 3, False), (6, 2, True), (5, 3, True)],
)
def test_a_group_is_unfilled_while_it_has_room_or_all_who_are_left_in_it_would_move_up(
    entered: int, ranked: int, expected: bool
) -> None:
    assert LeagueRules(6, 2, 2, 3).is_unfilled(entered, ranked) is expected


@given(rules(), st.data())
def test_without_ties_as_many_move_as_the_rules_say_and_never_more_than_one_step(
    rule: LeagueRules, data: st.DataObject
) -> None:
    members, tier = data.draw(st.integers(1, rule.group_size)), data.draw(st.integers(1, rule.tiers))

    found = outcomes(rule, tier, list(range(members)))

    count = Counter(found)
    assert count[UP] == (min(rule.promoted, members) if tier < rule.tiers else 0)
    assert count[DOWN] == (min(rule.demoted, max(0, members - rule.promoted)) if tier > 1 else 0)
    assert count[DOWN] == rule.demoted_among(tier, members)
    assert all(abs(next_tier(tier, each, rule.tiers) - tier) == (each is not STAY) for each in found)


@given(rules(), st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_with_ties_equals_fare_alike_and_no_worse_than_anybody_below_them(rule: LeagueRules, points: list[int]) -> None:
    points = sorted(points, reverse=True)
    order = [UP, STAY, DOWN]

    found = outcomes(rule, 2, points)

    assert all(found[nth] == found[nth - 1] for nth in range(1, len(points)) if points[nth] == points[nth - 1])
    assert found == sorted(found, key=order.index)
    assert found.count(DOWN) <= rule.demoted


def test_a_ladder_that_was_shortened_takes_those_above_it_on_its_highest_tier() -> None:
    assert [next_tier(5, each, 3) for each in Outcome] == [3, 3, 3]
    assert [next_tier(1, each, 3) for each in Outcome] == [2, 1, 1]


@given(st.lists(st.integers(1, 3), max_size=40), sizes, st.lists(st.integers(1, 40), max_size=5))
def test_groups_are_filled_one_after_the_other_in_whatever_portions_players_come(
    tiers: list[int], size: int, cuts: list[int]
) -> None:
    entering = list(enumerate(tiers))
    at_once = fill(entering, {}, size)
    portions: list[tuple[int, int, int]] = []
    newest: dict[int, tuple[int, int]] = {}
    for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(entering)], strict=True):
        portions += fill(entering[begin:end], newest, size)
        counted = Counter((tier, number) for _, tier, number in portions)
        newest = {tier: (number, counted[tier, number]) for tier, number in sorted(counted)}

    counted = Counter((tier, number) for _, tier, number in at_once)
    assert portions == at_once
    assert [(player, tier) for player, tier, _ in at_once] == entering
    for tier in set(tiers):
        last = max(number for each, number in counted if each == tier)
        assert all(counted[tier, number] == size for number in range(1, last))
        assert 1 <= counted[tier, last] <= size
