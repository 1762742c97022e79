"""Teams and divisions from rows of players: against a recount that goes through every pair."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competitions.core.group_standings import (
    DivisionRanks,
    Formula,
    PlayerPlace,
    TeamRules,
    division_places,
    team_standings,
)
from leaderboards.core.ranking.ranks import rank_scores
from leaderboards.core.ranking.rules import Order, Ties

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MEMBERS = st.lists(
    st.tuples(st.integers(-5, 9), st.integers(0, 4), st.integers(0, 4)), max_size=25
)  # points, time, team
RULES = st.builds(
    TeamRules, st.sampled_from(Formula), st.sampled_from(Order), st.sampled_from(Ties), st.none() | st.integers(1, 3)
)
NO_TEAM = 0


def ranking(members: list[tuple[int, int, int]], rules: TeamRules) -> tuple[list[PlayerPlace], dict[str, int]]:
    """Players as a board of these rules would rank them, with their teams."""
    late = -1 if rules.ties is Ties.LAST_COME else 1
    worse = -1 if rules.order is Order.DESC else 1

    def key(each: tuple[int, tuple[int, int, int]]) -> tuple[int, int]:
        points, time, _ = each[1]
        return worse * points, late * time if rules.ties.by_time else 0

    order = sorted(enumerate(members), key=key)
    held = rank_scores([points for _, (points, _, _) in order], rules.ties)
    rows = [
        PlayerPlace(f"p{number}", place.rank, points, NOON + timedelta(seconds=time) if rules.ties.by_time else None)
        for (number, (points, time, _)), place in zip(order, held, strict=True)
    ]
    return rows, {f"p{number}": team for number, (_, _, team) in enumerate(members) if team != NO_TEAM}


@dataclass(frozen=True)
class Recounted:
    """What a team has, worked out the long way."""

    counted: int
    value: Fraction
    best_rank: int
    times: list[datetime]

    def beats(self, other: "Recounted", rules: TeamRules) -> bool:
        """Whether it is strictly better."""
        if rules.formula is Formula.BEST:
            return self.best_rank < other.best_rank
        less_is_better = rules.order is Order.ASC
        if less_is_better and rules.formula is Formula.SUM and self.counted != other.counted:
            return self.counted > other.counted
        if self.value != other.value:
            return (self.value < other.value) is less_is_better
        if not rules.ties.by_time or max(self.times) == max(other.times):
            return False
        return (max(self.times) < max(other.times)) is (rules.ties is Ties.FIRST_COME)


def recounted(rows: list[PlayerPlace], team_of: dict[str, int], rules: TeamRules) -> dict[int, Recounted]:
    found = {}
    for team in set(team_of.values()):
        own = [row for row in rows if team_of.get(row.player) == team]
        most = 1 if rules.formula is Formula.BEST else rules.counts or len(own)
        counted = own[:most]
        value = Fraction(0)
        for row in counted:
            value += Fraction(row.points, len(counted) if rules.formula is Formula.AVERAGE else 1)
        times = [row.at for row in counted if row.at]
        found[team] = Recounted(len(counted), value, own[0].rank, times)
    return found


@given(MEMBERS, RULES)
def test_teams_stand_as_a_recount_of_every_pair_says(members: list[tuple[int, int, int]], rules: TeamRules) -> None:
    rows, team_of = ranking(members, rules)

    found = team_standings(rows, team_of, rules)

    naive = recounted(rows, team_of, rules)
    assert {each.team for each in found} == set(naive)
    for each in found:
        me = naive[each.team]
        better = [other for other in naive.values() if other.beats(me, rules)]
        equal = [other for other in naive.values() if not other.beats(me, rules) and not me.beats(other, rules)]
        classes = sum(1 for nth, one in enumerate(better) if not any(_same(one, two, rules) for two in better[:nth]))
        assert each.rank == 1 + (classes if rules.ties is Ties.DENSE else len(better))
        assert (each.tied, each.value, each.counted) == (len(equal), me.value, me.counted)
        assert [rows[index].player for index in each.scored] == [
            row.player for row in rows if team_of.get(row.player) == each.team
        ]
    assert [each.rank for each in found] == sorted(each.rank for each in found)


def _same(one: Recounted, other: Recounted, rules: TeamRules) -> bool:
    return not one.beats(other, rules) and not other.beats(one, rules)


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=30), st.sampled_from(Ties))
def test_a_division_is_ranked_as_if_nobody_else_were_there(field: list[tuple[int, bool]], ties: Ties) -> None:
    field.sort(reverse=True)
    overall = rank_scores([points for points, _ in field], ties)
    inside = [(points, place.rank) for (points, is_in), place in zip(field, overall, strict=True) if is_in]

    found = division_places([rank for _, rank in inside], ties)

    assert found == rank_scores([points for points, _ in inside], ties)
    one_by_one = DivisionRanks(ties)
    assert [one_by_one.place("inside", rank) for _, rank in inside] == [place.rank for place in found]


def test_an_average_is_compared_as_a_fraction() -> None:
    rows = [PlayerPlace("a", 1, 10**15 + 1), PlayerPlace("b", 2, 10**15), PlayerPlace("c", 2, 10**15)]
    rules = TeamRules(Formula.AVERAGE, ties=Ties.SHARED)

    thirds = team_standings([*rows, PlayerPlace("d", 2, 10**15)], {"a": 1, "b": 1, "c": 1, "d": 2}, rules)

    assert [(each.team, each.rank, each.value) for each in thirds] == [
        (1, 1, 10**15 + Fraction(1, 3)),
        (2, 2, Fraction(10**15)),
    ]


@pytest.mark.parametrize(("ties", "first"), [(Ties.FIRST_COME, 1), (Ties.LAST_COME, 2)])
def test_of_equal_sums_the_time_of_the_last_member_that_counts_decides(ties: Ties, first: int) -> None:
    minutes = {"a": 1, "b": 9, "c": 2, "d": 10}
    rows = [
        PlayerPlace(name, nth, 5, NOON + timedelta(minutes=late)) for nth, (name, late) in enumerate(minutes.items(), 1)
    ]

    found = team_standings(rows, {"a": 1, "b": 1, "c": 2, "d": 2}, TeamRules(Formula.SUM, ties=ties))

    assert [(each.team, each.rank) for each in found] == [(first, 1), (3 - first, 2)]
    assert found[0].at == NOON + timedelta(minutes=9 if first == 1 else 10)


def test_where_less_is_better_a_team_does_not_win_by_what_is_missing() -> None:
    rows = [PlayerPlace("a", 1, 10), PlayerPlace("b", 2, 11), PlayerPlace("c", 3, 12)]

    found = team_standings(rows, {"a": 1, "b": 2, "c": 2}, TeamRules(Formula.SUM, Order.ASC, counts=2))

    assert [(each.team, each.counted) for each in found] == [(2, 2), (1, 1)]
