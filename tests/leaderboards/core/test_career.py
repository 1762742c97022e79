"""Streaks, medals and how two players compare: counted over finished periods, the earliest first."""

from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.career import HeadToHead, Streak, head_to_head, medals, streak

RANKS = st.lists(st.none() | st.integers(1, 12), max_size=12)


def test_a_streak_ends_with_a_period_that_was_missed_or_lost() -> None:
    assert streak([1, 1, None, 1], lambda rank: rank == 1) == Streak(longest=2, current=1)
    assert streak([1, 1, 2], lambda rank: rank == 1) == Streak(longest=2, current=0)
    assert streak([], lambda _: True) == Streak(0, 0)


@given(RANKS)
def test_a_streak_is_what_the_longest_text_of_hits_is(ranks: list[int | None]) -> None:
    hits = "".join("x" if rank is not None and rank <= 10 else "." for rank in ranks)

    assert streak(ranks, lambda rank: rank <= 10) == Streak(
        longest=max(map(len, hits.split("."))), current=len(hits) - len(hits.rstrip("x"))
    )


def test_medals_are_the_first_three_ranks_only() -> None:
    assert medals([1, 4, 3, 1, None, 2, 11]) == {1: 2, 2: 1, 3: 1}
    assert medals([4, None]) == {}


def test_who_passed_whom_is_told_board_by_board_and_a_level_finish_changes_nothing() -> None:
    meetings = [("a", 1, 2), ("b", 5, 3), ("a", 3, 3), ("a", 4, 2), ("b", 6, 4), ("a", 1, 9)]

    assert head_to_head(meetings) == HeadToHead(
        ahead=2, behind=3, level=1, passed=1, was_passed=1, last_pass=5, passed_last=True
    )
    assert head_to_head([("a", 1, 2), ("b", 2, 1)]) == HeadToHead(ahead=1, behind=1)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4), st.integers(1, 4)), max_size=10))
def test_seen_from_the_other_one_everything_is_turned_round(meetings: list[tuple[str, int, int]]) -> None:
    mine = head_to_head(meetings)
    theirs = head_to_head([(board, other, own) for board, own, other in meetings])

    assert (mine.ahead, mine.behind, mine.level) == (theirs.behind, theirs.ahead, theirs.level)
    assert (mine.passed, mine.was_passed, mine.last_pass) == (theirs.was_passed, theirs.passed, theirs.last_pass)
    assert mine.passed_last is (None if theirs.passed_last is None else not theirs.passed_last)
