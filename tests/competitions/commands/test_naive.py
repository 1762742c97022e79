"""The plain computation that rehearsals are held against, by examples that are worked out by hand."""

from datetime import UTC, datetime, timedelta
from math import inf

import pytest

from competitions.management.naive import Counted, Look, Prize, notices, passage, ranking, rewards

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ALL = ("first_taken", "first_lost", "top3_entered", "top10_entered")


def scored(player: str, points: int, seconds: float = 0.0) -> Counted:
    return Counted(player, points, NOON + timedelta(seconds=seconds))


def test_the_best_counts_and_of_equals_the_earlier_second_is_ahead() -> None:
    counted = [
        scored("ann", 5, 9), scored("ann", 7, 10), scored("ann", 7, 20), scored("bob", 7, 9.9), scored("cid", 7, 10.5),
        scored("dot", 8, 99),
    ]  # fmt: skip  # as a table

    assert ranking(counted) == {"dot": 1, "bob": 2, "cid": 3, "ann": 4}


@pytest.mark.parametrize(
    ("was", "now", "told", "heard"),
    [
        (inf, 1, ALL, "first_taken"), (2, 1, ALL, "first_taken"), (1, 2, ALL, "first_lost"),
        (1, inf, ALL, "first_lost"), (12, 2, ALL, "top3_entered"), (11, 10, ALL, "top10_entered"),
        (10, 4, ALL, None), (3, 2, ALL, None), (2, 50, ALL, None), (1, 1, ALL, None),
        (12, 2, ("first_taken", "top10_entered"), "top10_entered"), (1, 2, ("first_taken",), None),
    ],
)  # fmt: skip  # as a table
def test_a_passage_is_told_by_the_highest_goal_passed_that_is_told_at_all(
    was: float, now: float, told: tuple[str, ...], heard: str | None
) -> None:
    assert passage(was, now, told) == heard


def test_each_snapshot_is_compared_with_the_one_before_it_whether_or_not_that_was_told() -> None:
    looks = [
        Look(3, NOON + 2 * HOUR, {"ann": 1, "bob": 2}),
        Look(1, NOON, {"ann": 1, "bob": 2}),
        Look(2, NOON + HOUR, {"bob": 1, "ann": 2}),
    ]

    assert notices(looks, {3}, ALL) == {(3, "ann"): "first_taken", (3, "bob"): "first_lost"}
    assert notices(looks, {1}, ALL) == {}


def test_prizes_are_for_ranks_shares_rounded_up_and_points() -> None:
    counted = [scored(f"p{nth:02d}", 100 - nth) for nth in range(1, 12)]
    prizes = [Prize("gold", "rank", 1), Prize("silver", "rank", 3, 2), Prize("tenth", "percent", 10)]

    earned = rewards([*prizes, Prize("98", "points", 98)], counted)

    assert set(earned) == {
        ("gold", "p01"), ("silver", "p02"), ("silver", "p03"), ("tenth", "p01"), ("tenth", "p02"),
        ("98", "p01"), ("98", "p02"),
    }  # fmt: skip  # as a table
