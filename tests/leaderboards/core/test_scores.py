"""Scores: the worked examples, which layout is chosen, and what it refuses."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from leaderboards.core.instants import milliseconds
from leaderboards.core.periods import Calendar, PeriodKind, Window, event_window, window_of
from leaderboards.core.rules import Criterion, Order, Rules, TieBreak, Ties
from leaderboards.core.scores import Layout, choose_layout
from leaderboards.errors import BadBoard, OutOfRange
from tests.leaderboards.core.samples import ALL_TIME

WEEK = window_of(Calendar(PeriodKind.WEEK), "2017-37")
MONTH = window_of(Calendar(PeriodKind.MONTH), "2017-09")
END = milliseconds(MONTH.ends_at or datetime(1, 1, 1, tzinfo=UTC))
STAGE = Criterion("stage", 2**15 - 1, Order.DESC)
MEMBERS = Criterion("members", 2**16 - 1, Order.ASC)
WHEN = Criterion("achieved_at", 2**32 - 1, Order.ASC, "s")
RAID = Rules(criteria=(STAGE, MEMBERS, WHEN))


def layout(window: Window = MONTH, **settings: Any) -> Layout:
    return choose_layout(Rules(**settings), window)


def wide(*bits: int, order: Order = Order.DESC) -> tuple[Criterion, ...]:
    return tuple(Criterion(f"c{n}", 2**width - 1, order) for n, width in enumerate(bits))


class TestWorkedExamples:
    @pytest.mark.parametrize(
        ("points", "seconds_left", "score"),
        [(150, 1000, 629_146_600), (150, 500, 629_146_100), (100, 2000, 419_432_400)],
    )
    def test_points_with_22_bits_of_seconds(self, points: int, seconds_left: int, score: int) -> None:
        packing = layout(tie_break=TieBreak.SCORE)

        packed = packing.pack((points,), END - seconds_left * 1000, "zepinos")

        assert packing.time_bits == 22
        assert packed == (float(score), "zepinos")

    def test_the_member_form_with_and_without_inversion(self) -> None:
        at_ms = 1505202213287

        assert layout(WEEK).pack((150,), at_ms, "zepinos").member == "9223370531652562520_zepinos"
        plain = layout(WEEK, ties=Ties.LAST_COME).pack((150,), at_ms, "zepinos")
        assert plain == (150.0, "0000001505202213287_zepinos")

    def test_stages_rank_by_stage_and_decode_exactly(self) -> None:
        packing = choose_layout(RAID, MONTH)

        lower = packing.pack((23346, 230), 1685892870_000, "a")
        higher = packing.pack((32130, 134), 1685664000_000, "b")

        assert lower.score < higher.score
        assert packing.unpack(*lower) == ((23346, 230), 1685892870_000, "a")
        assert packing.unpack(*higher) == ((32130, 134), 1685664000_000, "b")

    @pytest.mark.parametrize(
        ("packing", "taken", "refused", "reason"),
        [
            (choose_layout(RAID, MONTH), (32751, 0), (32752, 2**16 - 1), "`stage` may not go past 32751"),
            (layout(criteria=wide(15, 48), ties=Ties.SHARED), (32751, 2**48 - 1), (32752, 0), "not go past 32751"),
            (
                layout(criteria=wide(15, 48), ties=Ties.SHARED, order=Order.ASC),  # stored turned round
                (16, 0),
                (15, 0),
                "`c0` may not go below 16 on this board",
            ),
        ],
    )
    def test_the_pattern_that_would_be_infinity_is_refused(
        self, packing: Layout, taken: tuple[int, ...], refused: tuple[int, ...], reason: str
    ) -> None:
        packed = packing.pack(taken, 1685892870_000, "a")

        assert packed.score < float("inf")
        assert packing.unpack(*packed).value == taken
        with pytest.raises(OutOfRange, match=reason):
            packing.pack(refused, 1685892870_000, "a")

    def test_the_greatest_integer_survives_lua(self) -> None:
        greatest = float(2**53 - 1)

        assert float(f"{greatest:.17g}") == greatest
        assert int(float(f"{greatest:.17g}")) == 2**53 - 1


class TestChoice:
    @pytest.mark.parametrize(
        ("settings", "time", "said"),
        [
            ({"total_maximum": 2**23 - 1}, (30, 1), "23 bits of points, 30 bits of milliseconds: {} millisecond"),
            ({"total_maximum": 2**23}, (0, 1), "24 bits of points, the time in the member: {} millisecond"),
            ({"tie_break": TieBreak.SCORE}, (20, 1000), "31 bits of points, 20 bits of seconds: {} second"),
            (
                {"total_maximum": 2**23 - 1, "tie_break": TieBreak.SCORE},
                (30, 1),
                "23 bits of points, 30 bits of milliseconds: {} millisecond",
            ),
        ],
    )
    def test_milliseconds_stand_in_the_score_where_they_fit_and_seconds_only_where_it_is_asked_for(
        self, settings: dict[str, Any], time: tuple[int, int], said: str
    ) -> None:
        chosen = layout(WEEK, **{"maximum": 99} | settings)

        assert (chosen.time_bits, chosen.resolution_ms) == time
        assert chosen.in_member == (time[0] == 0)
        assert chosen.describe() == said.format("ties go to whoever was first, to the")

    def test_what_does_not_even_fit_with_seconds_is_refused_with_what_would(self) -> None:
        with pytest.raises(BadBoard) as caught:
            layout(WEEK, total_maximum=2**40 - 1, tie_break=TieBreak.SCORE)

        assert caught.value.field == "tie_break"
        assert caught.value.detail == (
            "40 bits of points and 20 bits of seconds do not fit the 53 bits of a score: put the time in the "
            "member (`tie_break: member`), or lower `total_maximum` to 8,589,934,591."
        )
        assert not layout(WEEK, total_maximum=8_589_934_591, tie_break=TieBreak.SCORE).in_member

    def test_the_advice_speaks_in_the_boards_decimals_and_counts_from_its_minimum(self) -> None:
        settings = {"decimals": 2, "minimum": -1000, "tie_break": TieBreak.SCORE}

        with pytest.raises(BadBoard, match=r"`maximum` and `total_maximum` to 85,899,335\.91\."):
            layout(WEEK, maximum=2**40, total_maximum=2**40, **settings)

        assert layout(WEEK, maximum=8589933591, total_maximum=8589933591, **settings).time_bits == 20

    @pytest.mark.parametrize("tie_break", TieBreak)
    def test_all_time_has_no_end_to_count_to(self, tie_break: TieBreak) -> None:
        for ties in (Ties.FIRST_COME, Ties.LAST_COME):
            assert layout(ALL_TIME, ties=ties, tie_break=tie_break).in_member

    @pytest.mark.parametrize("ties", [Ties.SHARED, Ties.DENSE])
    @pytest.mark.parametrize("tie_break", TieBreak)
    @pytest.mark.parametrize("window", [ALL_TIME, WEEK])
    def test_shared_ranks_keep_no_time(self, ties: Ties, tie_break: TieBreak, window: Window) -> None:
        chosen = layout(window, ties=ties, tie_break=tie_break)

        assert not chosen.in_member
        assert not chosen.shows_time
        assert not chosen.decodes_in_lua
        assert chosen.pack((150,), 5, "a") == (150.0, "a")
        assert chosen.unpack(150.0, "a") == ((150,), None, "a")

    @pytest.mark.parametrize("tie_break", [TieBreak.AUTO, TieBreak.SCORE])
    def test_only_points_with_the_time_in_the_score_decode_in_lua(self, tie_break: TieBreak) -> None:
        assert layout(WEEK, maximum=9, total_maximum=9, tie_break=tie_break).decodes_in_lua
        assert not layout(WEEK, tie_break=TieBreak.MEMBER).decodes_in_lua
        assert not layout(WEEK, criteria=wide(5), tie_break=tie_break).decodes_in_lua

    def test_criteria_take_the_time_left_to_53_bits_by_themselves_and_to_63_if_asked(self) -> None:
        asked = layout(WEEK, criteria=wide(11, 13), tie_break=TieBreak.SCORE)
        coarser = layout(WEEK, criteria=wide(20, 20), tie_break=TieBreak.SCORE)

        assert layout(WEEK, criteria=wide(10, 13)).time_bits == 30
        assert layout(WEEK, criteria=wide(11, 13)).in_member
        assert (asked.time_in_score, asked.is_integer, asked.time_bits, asked.resolution_ms) == (True, False, 0, 1)
        assert (coarser.is_integer, coarser.resolution_ms) == (False, 1000)
        with pytest.raises(BadBoard, match="lower the greatest values of the criteria to 43 bits together"):
            layout(WEEK, criteria=wide(22, 22), tie_break=TieBreak.SCORE)

    def test_criteria_that_do_not_fit_follow_in_the_member(self) -> None:
        chosen = layout(criteria=(*wide(53), MEMBERS, STAGE))

        packed = chosen.pack((5, 7, 9), 1505202213287, "_a_b_")

        assert packed == (5.0, "65528_00009_9223370531652562520__a_b_")
        assert chosen.unpack(*packed) == ((5, 7, 9), 1505202213287, "_a_b_")
        assert chosen.describe() == (
            "53 bits of c0; members, stage and the time in the member: ties go to whoever was first, to the millisecond"
        )

    def test_shared_criteria_that_do_not_fit_are_refused(self) -> None:
        with pytest.raises(BadBoard, match=r"are 64 bits; a score holds 63.*take 1 bit off"):
            layout(criteria=wide(32, 32), ties=Ties.SHARED)

        assert not layout(criteria=wide(32, 31), ties=Ties.DENSE).in_member

    def test_the_time_as_a_criterion_is_not_kept_twice(self) -> None:
        chosen = choose_layout(RAID, ALL_TIME)

        assert not chosen.in_member
        assert (chosen.time_in_score, chosen.resolution_ms, chosen.time_bits) == (True, 1000, 0)
        assert chosen.describe() == (
            "15 bits of stage, 16 bits of members, 32 bits of achieved_at in seconds: "
            "the time counts as a criterion, to the second"
        )

    def test_the_time_as_a_criterion_goes_to_the_member_where_the_board_wants_it_there(self) -> None:
        chosen = choose_layout(Rules(criteria=(STAGE, WHEN, MEMBERS), tie_break=TieBreak.MEMBER), MONTH)

        packed = chosen.pack((5, 7), 1505202213287, "a")

        assert packed == (5.0, f"{2**32 - 1 - 1505202213:010d}_65528_a")
        assert chosen.unpack(*packed) == ((5, 7), 1505202213000, "a")

    def test_the_time_as_a_criterion_beyond_63_bits(self) -> None:
        criteria = (*wide(32), WHEN)

        assert layout(criteria=criteria).in_member
        with pytest.raises(BadBoard, match="`tie_break` to `auto` or `member`"):
            layout(criteria=criteria, tie_break=TieBreak.SCORE)


class TestLimits:
    @pytest.mark.parametrize("points", [-11, 101])
    @pytest.mark.parametrize("window", [ALL_TIME, MONTH])
    def test_points_outside_the_layout_are_refused(self, points: int, window: Window) -> None:
        chosen = layout(window, minimum=-10, maximum=100, total_maximum=100)

        assert chosen.unpack(*chosen.pack((-10,), END - 1, "a")).value == (-10,)
        assert chosen.unpack(*chosen.pack((100,), END - 1, "a")).value == (100,)
        with pytest.raises(OutOfRange, match="`points` lies outside"):
            chosen.pack((points,), END - 1, "a")

    def test_a_time_long_before_the_window_is_refused_where_the_score_holds_it(self) -> None:
        with pytest.raises(OutOfRange, match="time lies outside"):
            layout(tie_break=TieBreak.SCORE).pack((5,), END - 2**22 * 1000, "a")

    @pytest.mark.parametrize("ties", [Ties.FIRST_COME, Ties.LAST_COME])
    def test_after_the_end_no_time_is_left(self, ties: Ties) -> None:
        chosen = layout(tie_break=TieBreak.SCORE, ties=ties)

        assert chosen.quantize(END + 5) == END
        assert chosen.pack((5,), END + 12345, "a") == chosen.pack((5,), END, "a")

    def test_a_board_of_one_value_works(self) -> None:
        chosen = layout(minimum=7, maximum=7, total_maximum=7)

        assert chosen.unpack(*chosen.pack((7,), END - 5, "a")) == ((7,), END - 5, "a")

    def test_seconds_are_exact_though_the_window_ends_between_two(self) -> None:
        ends_at = datetime(2026, 11, 20, 9, 0, 0, 700_000, tzinfo=UTC)
        chosen = layout(event_window(7, ends_at - timedelta(days=30), ends_at), tie_break=TieBreak.SCORE)
        end = milliseconds(ends_at)

        for at_ms in (end - 1, end - 700, end - 701, end - 1700, end - 1701):
            kept = chosen.quantize(at_ms)
            assert kept == at_ms // 1000 * 1000
            assert chosen.pack((5,), at_ms, "a") == chosen.pack((5,), kept, "a")
            assert chosen.unpack(*chosen.pack((5,), kept, "a")).at_ms == kept
