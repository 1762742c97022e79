"""What passing means, on ranks that are shared, missing or unchanged, and in fields that are small."""

from hypothesis import given
from hypothesis import strategies as st

from competitions.core.rank_alerts import RankAlert, RankSnapshot, highest_wanted, rank_alerts

RANKS = st.dictionaries(st.integers(1, 30), st.integers(1, 14), max_size=16)
GOALS = {RankAlert.FIRST_TAKEN: 1, RankAlert.TOP3_ENTERED: 3, RankAlert.TOP10_ENTERED: 10}
FIRST, TOP3, TOP10, LOST = RankAlert.FIRST_TAKEN, RankAlert.TOP3_ENTERED, RankAlert.TOP10_ENTERED, RankAlert.FIRST_LOST


def look(*players: int) -> RankSnapshot:
    """Everybody in their place, best first."""
    return RankSnapshot({player: rank for rank, player in enumerate(players, start=1)}, len(players))


def passed(before: RankSnapshot, after: RankSnapshot) -> dict[int, list[RankAlert]]:
    return dict(rank_alerts(before, after))


def test_a_player_hears_of_the_highest_that_they_passed_and_want() -> None:
    crowd = range(1, 15)
    found = passed(look(*crowd), look(1, 14, *range(2, 14)))[14]

    assert found == [TOP3, TOP10]
    assert highest_wanted(found, {"first_taken", "top10_entered"}) is TOP10
    assert highest_wanted(found, {"top3_entered", "top10_entered"}) is TOP3
    assert highest_wanted(found, {"first_lost"}) is None


def test_first_place_is_taken_from_somebody_who_is_still_there() -> None:
    assert passed(look(1, 2), look(2, 1)) == {1: [LOST], 2: [FIRST]}
    assert passed(look(), look(1, 2)) == {}
    assert passed(look(1, 2, 3), look(2, 3)) == {}  # the first is gone, and nobody was passed
    assert passed(look(1, 2, 3), look(3, 2)) == {3: [FIRST]}  # and here the second was
    assert passed(RankSnapshot({1: 1, 2: 2}, 2), RankSnapshot({1: 1, 2: 1}, 2)) == {
        2: [FIRST]
    }  # drawing level takes it too
    assert passed(RankSnapshot({1: 1, 2: 1}, 2), look(2, 1)) == {1: [LOST]}  # and going on from there loses it


def test_who_had_no_place_passes_nobody_and_takes_first_place_from_nobody() -> None:
    assert passed(look(1, 2), look(3, 1, 2)) == {}  # reinstated, or a first score
    assert passed(look(1, 2, 3), look(4, 2, 1, 3)) == {1: [LOST]}  # the second passed the first all the same
    assert passed(look(*range(1, 12)), look(12, *range(1, 12))) == {}


def test_nobody_enters_the_top_of_a_field_that_is_no_larger_or_was_not_full() -> None:
    ten, eleven = range(1, 11), range(1, 12)

    assert passed(look(*range(2, 11)), look(*ten[1:5], 1, *ten[5:])) == {}  # ten of ten are in the top 10
    assert passed(look(*range(1, 10)), look(*eleven)) == {}  # there was room for the tenth
    assert passed(look(*eleven), look(*range(1, 10), 11, 10)) == {11: [TOP10]}
    assert passed(look(1, 2, 3, 4), look(1, 4, 2, 3)) == {4: [TOP3]}


def test_nobody_enters_the_top_because_somebody_in_it_is_gone() -> None:
    crowd = range(1, 13)

    assert passed(look(*crowd), look(*crowd[1:])) == {}
    assert passed(look(*crowd), look(*crowd[:4], *crowd[5:])) == {}


@given(RANKS, RANKS)
def test_players_pass_what_comparing_every_pair_says(before: dict[int, int], after: dict[int, int]) -> None:
    found = passed(RankSnapshot(before, len(before)), RankSnapshot(after, len(after)))

    expected: dict[int, set[RankAlert]] = {}
    stay = before.keys() & after.keys()
    for passage, goal in GOALS.items():
        if len(before) >= goal and len(after) > goal:
            for player in stay & _within(after, goal) - _within(before, goal):
                if any(before[other] < before[player] and after[other] >= after[player] for other in stay):
                    expected.setdefault(player, set()).add(passage)
    for player in stay & _within(before, 1):
        if any(after[other] < after[player] for other in stay):
            expected[player] = {LOST}
    assert {player: set(several) for player, several in found.items()} == expected


def _within(ranks: dict[int, int], goal: int) -> set[int]:
    return {player for player, rank in ranks.items() if rank <= goal}
