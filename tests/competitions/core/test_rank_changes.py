"""What passing means, on ranks that are shared, missing or unchanged."""

from hypothesis import given
from hypothesis import strategies as st

from competitions.core.rank_changes import LOWEST, Passage, highest, passages, passed_between

RANKS = st.dictionaries(st.integers(1, 30), st.integers(1, 14))
GOALS = {Passage.FIRST_TAKEN: {1}, Passage.TOP3_ENTERED: {1, 2, 3}, Passage.TOP10_ENTERED: set(range(1, 11))}


def test_a_player_hears_of_the_highest_that_they_passed_and_want() -> None:
    assert passed_between(11, 10) == passed_between(None, 10) == [Passage.TOP10_ENTERED]
    assert passed_between(1, 2) == passed_between(1, None) == [Passage.FIRST_LOST]
    assert passed_between(3, 11) == passed_between(None, 11) == []
    passed = passed_between(15, 2)

    assert highest(passed, {"first_taken", "top10_entered"}) is Passage.TOP10_ENTERED
    assert highest(passed, {"top3_entered", "top10_entered"}) is Passage.TOP3_ENTERED
    assert highest(passed, {"first_lost"}) is None


@given(RANKS, RANKS)
def test_players_pass_what_two_lists_of_names_say(before: dict[int, int], after: dict[int, int]) -> None:
    found = dict(passages(before, after))

    expected: dict[int, set[Passage]] = {}
    for passage, ranks in GOALS.items():
        for player in _holding(after, ranks) - _holding(before, ranks):
            expected.setdefault(player, set()).add(passage)
    for player in _holding(before, {1}) - _holding(after, {1}):
        expected.setdefault(player, set()).add(Passage.FIRST_LOST)
    assert {player: set(passed) for player, passed in found.items()} == expected


@given(RANKS, RANKS)
def test_ranks_below_the_lowest_change_nothing(before: dict[int, int], after: dict[int, int]) -> None:
    assert list(passages(before, after)) == list(passages(_top(before), _top(after)))


def _holding(ranks: dict[int, int], goal: set[int]) -> set[int]:
    return {player for player, rank in ranks.items() if rank in goal}


def _top(ranks: dict[int, int]) -> dict[int, int]:
    return {player: rank for player, rank in ranks.items() if rank <= LOWEST}
