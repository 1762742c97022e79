"""What a submission makes of a standing, and of its time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.periods import Calendar, PeriodKind, window_of
from leaderboards.core.policies import State, judge
from leaderboards.core.rules import Criterion, Order, Rules, Update
from leaderboards.errors import OutOfRange
from tests.oracle import OracleBoard

BEST, LATEST = Rules(update=Update.BEST), Rules(update=Update.LATEST)
SUM = Rules(update=Update.INCREMENT, minimum=-10, total_maximum=100, maximum=100)
ALL_TIME = window_of(Calendar(PeriodKind.ALL_TIME), "all")


@pytest.mark.parametrize("update", Update)
def test_the_first_submission_makes_the_standing(update: Update) -> None:
    first = State((0,), 5)

    assert judge(Rules(update=update), None, first) == first


class TestBest:
    def test_more_is_better(self) -> None:
        assert judge(BEST, State((5,), 1), State((6,), 2)) == State((6,), 2)

    def test_less_is_better_where_the_board_says_so(self) -> None:
        golf = Rules(order=Order.ASC)

        assert judge(golf, State((5,), 1), State((4,), 2)) == State((4,), 2)
        assert judge(golf, State((5,), 1), State((6,), 2)) == State((5,), 1)

    def test_a_worse_one_changes_nothing(self) -> None:
        old = State((5,), 3)

        assert judge(BEST, old, State((4,), 1)) is old

    def test_an_equal_one_never_moves_the_time_later(self) -> None:
        old = State((5,), 3)

        assert judge(BEST, old, State((5,), 9)) is old
        assert judge(BEST, old, State((5,), 3)) is old

    def test_an_equal_one_that_happened_earlier_moves_the_time_there(self) -> None:
        assert judge(BEST, State((5,), 3), State((5,), 2)) == State((5,), 2)

    def test_a_better_one_counts_though_it_happened_earlier(self) -> None:
        assert judge(BEST, State((5,), 3), State((6,), 1)) == State((6,), 1)

    def test_criteria_are_compared_in_order_each_in_its_own_direction(self) -> None:
        raid = Rules(criteria=(Criterion("stage", 99, Order.DESC), Criterion("members", 99, Order.ASC)))
        old = State((7, 20), 3)

        assert judge(raid, old, State((7, 19), 9)) == State((7, 19), 9)
        assert judge(raid, old, State((7, 21), 1)) is old
        assert judge(raid, old, State((8, 90), 9)) == State((8, 90), 9)
        assert judge(raid, old, State((7, 20), 1)) == State((7, 20), 1)

    def test_the_time_plays_no_part_though_it_is_a_criterion_in_the_middle(self) -> None:
        rules = Rules(
            criteria=(
                Criterion("stage", 99, Order.DESC),
                Criterion("achieved_at", 2**32 - 1, Order.ASC, "s"),
                Criterion("coins", 99, Order.DESC),
            )
        )

        assert judge(rules, State((7, 20), 1000), State((7, 21), 9000)) == State((7, 21), 9000)


class TestLatest:
    def test_the_greatest_time_wins_however_bad_its_points(self) -> None:
        assert judge(LATEST, State((5,), 3), State((1,), 4)) == State((1,), 4)

    def test_an_older_one_changes_nothing(self) -> None:
        old = State((5,), 3)

        assert judge(LATEST, old, State((9,), 2)) is old

    def test_at_the_same_time_the_later_applied_wins(self) -> None:
        assert judge(LATEST, State((5,), 3), State((4,), 3)) == State((4,), 3)

    def test_the_time_follows_the_latest_submission_though_its_points_are_equal(self) -> None:
        after = judge(LATEST, State((5,), 1), State((5,), 3))

        assert judge(LATEST, after, State((7,), 2)) == State((5,), 3)

    def test_the_same_again_changes_nothing(self) -> None:
        old = State((5,), 3)

        assert judge(LATEST, old, State((5,), 3)) is old


class TestIncrement:
    def test_submissions_add_up_and_the_time_is_the_greatest(self) -> None:
        after = judge(SUM, State((5,), 3), State((6,), 2))

        assert after == State((11,), 3)
        assert judge(SUM, after, State((-1,), 9)) == State((10,), 9)

    def test_a_difference_of_nothing_moves_no_time(self) -> None:
        old = State((5,), 3)

        assert judge(SUM, old, State((0,), 9)) is old

    @pytest.mark.parametrize(("total", "difference"), [(95, 6), (-5, -6)])
    def test_a_total_outside_the_limits_is_refused(self, total: int, difference: int) -> None:
        with pytest.raises(OutOfRange, match="-10 to 100"):
            judge(SUM, State((total,), 3), State((difference,), 4))

    def test_the_limits_themselves_are_reached(self) -> None:
        assert judge(SUM, State((95,), 3), State((5,), 4)).value == (100,)
        assert judge(SUM, State((-5,), 3), State((-5,), 4)).value == (-10,)

    def test_a_refusal_speaks_in_the_boards_decimals(self) -> None:
        rules = Rules(update=Update.INCREMENT, decimals=2, maximum=150_000, total_maximum=150_000)

        with pytest.raises(OutOfRange, match=r"total would be 1,500\.01; this board keeps 0 to 1,500\."):
            judge(rules, State((150_000,), 1), State((1,), 2))


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
                judge(rules, state, State((points,), at_ms))
            continue
        judged = judge(rules, state, State((points,), at_ms))
        assert judged == expected
        assert (judged == state) == (status == "unchanged")
        state = judged


@given(st.permutations([(3, 5), (5, 9), (5, 2), (1, 1), (4, 7)]))
def test_best_does_not_depend_on_the_order_of_arrival(sent: list[tuple[int, int]]) -> None:
    state = None
    for points, at_ms in sent:
        state = judge(BEST, state, State((points,), at_ms))

    assert state == State((5,), 2)


@given(st.permutations([(3, 5), (5, 9), (5, 2), (1, 1), (4, 7)]))
def test_latest_does_not_depend_on_the_order_of_arrival(sent: list[tuple[int, int]]) -> None:
    state = None
    for points, at_ms in sent:
        state = judge(LATEST, state, State((points,), at_ms))

    assert state == State((5,), 9)
