"""What a submission makes of a standing, and of its time."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.ranking.policies import StandingState, evaluate, replay
from leaderboards.core.ranking.rules import Criterion, Order, Rules, Update
from leaderboards.errors import OutOfRange
from tests.leaderboards.core.samples import ALL_TIME
from tests.oracle import OracleBoard

BEST, LATEST, LEAST = Rules(update=Update.BEST), Rules(update=Update.LATEST), Rules(order=Order.ASC)
SUM = Rules(update=Update.INCREMENT, minimum=-10, total_maximum=100, maximum=100)
STAGE, MEMBERS = Criterion("stage", 99, Order.DESC), Criterion("members", 99, Order.ASC)
RAID = Rules(criteria=(STAGE, MEMBERS))
TIMED = Rules(criteria=(STAGE, Criterion("achieved_at", 2**32 - 1, Order.ASC, "s"), Criterion("coins", 99, Order.DESC)))


@pytest.mark.parametrize(
    ("rules", "before", "sent", "after"),
    [
        pytest.param(BEST, StandingState((5,), 1), StandingState((6,), 2), StandingState((6,), 2), id="more is better"),
        pytest.param(
            BEST, StandingState((5,), 3), StandingState((6,), 1), StandingState((6,), 1), id="better though earlier"
        ),
        pytest.param(BEST, StandingState((5,), 3), StandingState((4,), 1), StandingState((5,), 3), id="worse"),
        pytest.param(
            BEST,
            StandingState((5,), 3),
            StandingState((5,), 9),
            StandingState((5,), 3),
            id="equal never moves the time later",
        ),
        pytest.param(
            BEST,
            StandingState((5,), 3),
            StandingState((5,), 2),
            StandingState((5,), 2),
            id="equal and earlier moves it there",
        ),
        pytest.param(
            LEAST, StandingState((5,), 1), StandingState((4,), 2), StandingState((4,), 2), id="less is better"
        ),
        pytest.param(
            RAID,
            StandingState((7, 20), 3),
            StandingState((7, 19), 9),
            StandingState((7, 19), 9),
            id="a better second criterion",
        ),
        pytest.param(
            RAID,
            StandingState((7, 20), 3),
            StandingState((7, 21), 1),
            StandingState((7, 20), 3),
            id="a worse second criterion",
        ),
        pytest.param(
            RAID,
            StandingState((7, 20), 3),
            StandingState((8, 90), 9),
            StandingState((8, 90), 9),
            id="the first comes first",
        ),
        pytest.param(
            TIMED,
            StandingState((7, 20), 1),
            StandingState((7, 21), 9000),
            StandingState((7, 21), 9000),
            id="the time plays no part",
        ),
        pytest.param(
            LATEST, StandingState((5,), 3), StandingState((1,), 4), StandingState((1,), 4), id="later, however bad"
        ),
        pytest.param(LATEST, StandingState((5,), 3), StandingState((9,), 2), StandingState((5,), 3), id="older"),
        pytest.param(
            LATEST,
            StandingState((5,), 3),
            StandingState((4,), 3),
            StandingState((4,), 3),
            id="the later applied at one time",
        ),
        pytest.param(
            LATEST,
            StandingState((5,), 1),
            StandingState((5,), 3),
            StandingState((5,), 3),
            id="the time follows equal points",
        ),
        pytest.param(
            SUM,
            StandingState((5,), 3),
            StandingState((6,), 2),
            StandingState((11,), 3),
            id="the sum, at the greatest time",
        ),
        pytest.param(
            SUM,
            StandingState((11,), 3),
            StandingState((-1,), 9),
            StandingState((10,), 9),
            id="less than nothing, later",
        ),
        pytest.param(
            SUM, StandingState((5,), 3), StandingState((0,), 9), StandingState((5,), 3), id="nothing moves no time"
        ),
        pytest.param(
            SUM, StandingState((95,), 3), StandingState((5,), 4), StandingState((100,), 4), id="the greatest total"
        ),
        pytest.param(
            SUM, StandingState((-5,), 3), StandingState((-5,), 4), StandingState((-10,), 4), id="the least total"
        ),
    ],
)
def test_a_submission_is_judged_by_the_boards_policy(
    rules: Rules, before: StandingState, sent: StandingState, after: StandingState
) -> None:
    judged = evaluate(rules, before, sent)

    assert evaluate(rules, None, sent) == sent
    assert judged == after
    assert (judged is before) == (after == before)


def test_a_total_outside_the_limits_is_refused_in_the_boards_decimals() -> None:
    rules = Rules(update=Update.INCREMENT, decimals=2, maximum=150_000, total_maximum=150_000)

    for total, more, said in ((150_000, 1, r"1,500\.01"), (5, -6, r"-0\.01")):
        with pytest.raises(OutOfRange, match=rf"total would be {said}; this board keeps 0 to 1,500\."):
            evaluate(rules, StandingState((total,), 1), StandingState((more,), 2))


@pytest.mark.parametrize(
    ("left", "amount_to"),
    [
        pytest.param([(100, 1), (50, 3)], ((100,), 1), id="it stops at the greatest, and its time stays"),
        pytest.param([(100, 1), (50, 3), (-20, 4)], ((80,), 4), id="it goes on from there"),
        pytest.param([(80, 1), (50, 3)], ((100,), 3), id="as far as there is room"),
        pytest.param([(-40, 2), (5, 3)], ((-5,), 3), id="the first one too, at the least"),
        pytest.param([(-10, 2), (-5, 3), (0, 4)], ((-10,), 2), id="what changes nothing moves no time"),
    ],
)
def test_what_is_left_of_a_sum_stops_at_the_limits(left: list[tuple[int, int]], amount_to: tuple[Any, int]) -> None:
    assert replay(SUM, [StandingState((points,), at_ms) for points, at_ms in left]) == StandingState(*amount_to)


submissions = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=8)


@given(st.sampled_from(Update), st.sampled_from(Order), submissions)
def test_one_by_one_gives_what_the_oracle_finds_in_the_whole_history(
    update: Update, order: Order, sent: list[tuple[int, int]]
) -> None:
    rules = Rules(order=order, update=update, minimum=-5, maximum=5, total_maximum=5)
    oracle, state = OracleBoard(rules, ALL_TIME), None

    for points, at_ms in sent:
        try:
            status, expected = oracle.submit("p", (points,), at_ms)
        except OutOfRange:
            with pytest.raises(OutOfRange):
                evaluate(rules, state, StandingState((points,), at_ms))
            continue
        judged = evaluate(rules, state, StandingState((points,), at_ms))
        assert judged == expected
        assert (judged == state) == (status == "unchanged")
        state = judged
