"""Limits of plausibility by themselves: where each begins to hold, and on which side of it a value lies."""

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from leaderboards.core.plausibility import (
    LIMIT_SETTINGS,
    MINUTE_MS,
    FieldLeader,
    JumpBaseline,
    LimitKind,
    Limits,
    PastSubmission,
    PlausibilityChecker,
    check_limits,
    limits_of,
)
from leaderboards.core.ranking.rules import Order, Rules
from leaderboards.errors import BadBoard

NOW = 10 * MINUTE_MS


def watch(limits: Limits, *past: tuple[int, int], first: int | None = None, **rules: Any) -> PlausibilityChecker:
    """A player "a" with these points, each so many milliseconds ago."""
    rows = [PastSubmission(points, NOW - ago_ms) for points, ago_ms in past]
    return PlausibilityChecker(limits, Rules(**rules), NOW, {"a": rows}, FieldLeader(first))


def rule(limits: Limits, points: int, *past: tuple[int, int], **more: Any) -> LimitKind | None:
    found = watch(limits, *past, **more).breach("a", points, points)
    return found and found.rule


@pytest.mark.parametrize(
    ("limits", "passes", "breaks"),
    [
        (Limits(least=Decimal(5)), 5, 4),
        (Limits(most=Decimal(5)), 5, 6),
        (Limits(points=Decimal(15)), 5, 6),
        (Limits(own_jump=Decimal("1.5"), own_last=2), 15, 16),
        (Limits(own_jump=Decimal(2), own_against=JumpBaseline.MEDIAN, own_last=2), 15, 16),
        (Limits(field_jump=Decimal("0.5") * 4), 200, 201),
    ],
)
def test_a_limit_holds_what_lies_beyond_it_and_not_what_lies_on_it(limits: Limits, passes: int, breaks: int) -> None:
    past = [(5, 1000), (10, 2000)] if limits.points is None else [(10, 2000)]

    assert rule(limits, passes, *past, first=100) is None
    assert rule(limits, breaks, *past, first=100) is not None


def test_a_minute_ends_after_sixty_seconds_and_losses_do_not_make_room_in_it() -> None:
    limits = Limits(submissions=2, points=Decimal(10))

    assert rule(limits, 1, (1, MINUTE_MS), (1, MINUTE_MS - 1)) is None
    assert rule(limits, 1, (1, 5), (1, MINUTE_MS - 1)) is LimitKind.SUBMISSIONS
    assert rule(limits, 8, (-100, 5), (5, MINUTE_MS)) is None
    assert rule(limits, 8, (5, 5)) is LimitKind.POINTS
    assert rule(limits, -8, (50, 5)) is None


def test_without_enough_to_compare_with_or_anything_more_than_nothing_no_jump_is_seen() -> None:
    own = Limits(own_jump=Decimal(2), own_last=2)

    assert rule(own, 1000, (1, 5)) is None
    assert rule(own, 1000, (0, 5), (0, 4)) is None
    assert rule(own, 1000, (-5, 5), (-3, 4)) is None
    assert rule(Limits(field_jump=Decimal(2)), 1000, first=0) is None
    assert rule(Limits(field_jump=Decimal(2)), 1000) is None


def test_where_less_is_better_the_best_is_the_least_and_a_jump_lies_below_it() -> None:
    own = Limits(own_jump=Decimal(2), own_last=2)

    assert rule(own, 50, (100, 5), (300, 4), order=Order.ASC) is None
    assert rule(own, 49, (100, 5), (300, 4), order=Order.ASC) is LimitKind.OWN_JUMP


def test_what_is_seen_is_told_in_points_as_people_write_them() -> None:
    found = watch(Limits(most=Decimal("12.5")), decimals=2).breach("a", 1251, 1251)

    assert found == (LimitKind.MOST, Decimal("12.51"), Decimal("12.5"))


def test_each_is_judged_beside_what_passed_before_it_in_the_same_request() -> None:
    watching = watch(Limits(submissions=1))
    watching.note("a", 5)

    assert watching.breach("a", 5, 5) is not None
    assert watching.breach("b", 5, 5) is None


def test_a_board_without_a_limit_has_none() -> None:
    board = SimpleNamespace(
        **dict.fromkeys(LIMIT_SETTINGS), own_jump_against="best", own_jump_last=5, field_jump_players=10
    )

    assert limits_of(board) is None
    assert limits_of(SimpleNamespace(**{**vars(board), "plausible_least": Decimal(0)})) is not None


@pytest.mark.parametrize("name", sorted({*LIMIT_SETTINGS} - {"submissions_per_minute"}))
def test_points_are_no_limit_where_criteria_are_ranked(name: str) -> None:
    board = SimpleNamespace(**dict.fromkeys(LIMIT_SETTINGS), criteria=[{"name": "stage"}])
    setattr(board, name, Decimal(3))

    with pytest.raises(BadBoard) as refused:
        check_limits(board)

    assert refused.value.field == name
