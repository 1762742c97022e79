"""Scores: the worked examples, which layout is chosen, and what it refuses."""

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from leaderboards.core.instants import milliseconds
from leaderboards.core.packing.layout import Layout, choose_layout
from leaderboards.core.periods import Calendar, PeriodKind, Window, event_window, window_of
from leaderboards.core.ranking.rules import Criterion, Order, Rules, TieBreak, Ties
from leaderboards.errors import BadBoard, OutOfRange
from tests.leaderboards.core.samples import ALL_TIME, MEMBERS, STAGE, WHEN

WEEK = window_of(Calendar(PeriodKind.WEEK), "2017-37")
MONTH = window_of(Calendar(PeriodKind.MONTH), "2017-09")
END = milliseconds(MONTH.ends_at or datetime(1, 1, 1, tzinfo=UTC))
RAID = (STAGE, MEMBERS, WHEN)
SCORE, MEMBER = TieBreak.SCORE, TieBreak.MEMBER
FIRST = "ties go to the first, to the"


def layout(window: Window = MONTH, **settings: Any) -> Layout:
    return choose_layout(Rules(**settings), window)


def wide(*bits: int, order: Order = Order.DESC) -> tuple[Criterion, ...]:
    return tuple(Criterion(f"c{n}", 2**width - 1, order) for n, width in enumerate(bits))


class TestWorkedExamples:
    def test_points_with_22_bits_of_seconds(self) -> None:
        packing = layout(tie_break=SCORE)

        assert packing.time_bits == 22
        for points, left, score in ((150, 1000, 629_146_600), (150, 500, 629_146_100), (100, 2000, 419_432_400)):
            assert packing.pack((points,), END - left * 1000, "zepinos") == (float(score), "zepinos")

    def test_the_member_form_with_and_without_inversion(self) -> None:
        at_ms = 1505202213287

        assert layout(WEEK).pack((150,), at_ms, "zepinos").member == "9223370531652562520_zepinos"
        plain = layout(WEEK, ties=Ties.LAST_COME).pack((150,), at_ms, "zepinos")
        assert plain == (150.0, "0000001505202213287_zepinos")

    def test_stages_rank_by_stage_and_decode_exactly(self) -> None:
        packing = layout(criteria=RAID)

        lower = packing.pack((23346, 230), 1685892870_000, "a")
        higher = packing.pack((32130, 134), 1685664000_000, "b")

        assert lower.score < higher.score
        assert packing.unpack(*lower) == ((23346, 230), 1685892870_000, "a")
        assert packing.unpack(*higher) == ((32130, 134), 1685664000_000, "b")

    @pytest.mark.parametrize(
        ("packing", "taken", "refused", "reason"),
        [
            (layout(criteria=RAID), (32751, 0), (32752, 2**16 - 1), "`stage` may not go past 32751"),
            # stored turned round
            (layout(criteria=wide(15, 48), ties=Ties.SHARED, order=Order.ASC), (16, 0), (15, 0), "not go below 16 on"),
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


class TestChoice:
    @pytest.mark.parametrize(
        ("settings", "form", "said"),
        [
            # what fits 53 bits with milliseconds, and one bit more
            ({"total_maximum": 2**23 - 1}, ("integer", 30, 1), f"23 bits of points, 30 bits of milliseconds: {FIRST}"),
            ({"total_maximum": 2**23}, ("member", 0, 1), f"24 bits of points, the time in the member: {FIRST} m"),
            ({"total_maximum": 2**23 - 1, "tie_break": SCORE}, ("integer", 30, 1), "23 bits of points, 30 bits of m"),
            ({"tie_break": SCORE}, ("integer", 20, 1000), f"31 bits of points, 20 bits of seconds: {FIRST} second"),
            ({"tie_break": MEMBER, "total_maximum": 9}, ("member", 0, 1), "4 bits of points, the time in the member"),
            # criteria take the time to 53 bits by themselves, and to 63 if asked
            ({"criteria": wide(10, 13)}, ("integer", 30, 1), "10 bits of c0, 13 bits of c1, 30 bits of milliseconds"),
            ({"criteria": wide(11, 13)}, ("member", 0, 1), "11 bits of c0, 13 bits of c1, the time in the member"),
            ({"criteria": wide(11, 13), "tie_break": SCORE}, ("pattern", 0, 1), "11 bits of c0, 13 bits of c1, 30 b"),
            ({"criteria": wide(20, 20), "tie_break": SCORE}, ("pattern", 0, 1000), "20 bits of c0, 20 bits of c1, 20 "),
            # the time as a criterion is not kept twice
            (
                {"criteria": RAID},
                ("pattern", 0, 1000),
                "15 bits of stage, 16 bits of members, 32 bits of achieved_at in seconds: the time counts as a crit",
            ),
            ({"criteria": (*wide(32), WHEN)}, ("member", 0, 1000), "32 bits of c0"),
        ],
    )
    def test_the_time_stands_where_it_fits_and_where_the_board_wants_it(
        self, settings: dict[str, Any], form: tuple[str, int, int], said: str
    ) -> None:
        chosen = layout(WEEK, **{"maximum": 9} | settings)

        where = "member" if chosen.in_member else "integer" if chosen.is_integer else "pattern"
        assert (where, chosen.time_bits, chosen.resolution_ms) == form
        assert any(slot.is_time for slot in chosen.slots) == (where != "member")
        assert chosen.decodes_in_lua == (where == "integer" and "criteria" not in settings)
        assert chosen.describe().startswith(said)

    @pytest.mark.parametrize("tie_break", TieBreak)
    def test_all_time_has_no_end_to_count_to_and_shared_ranks_keep_no_time(self, tie_break: TieBreak) -> None:
        for ties in (Ties.FIRST_COME, Ties.LAST_COME):
            assert layout(ALL_TIME, ties=ties, tie_break=tie_break).in_member
        assert layout(ALL_TIME, criteria=RAID, tie_break=tie_break).in_member == (tie_break is MEMBER)

        for ties, window in product((Ties.SHARED, Ties.DENSE), (ALL_TIME, WEEK)):  # shared ranks keep no time
            chosen = layout(window, ties=ties, tie_break=tie_break)
            assert (chosen.in_member, chosen.shows_time, chosen.decodes_in_lua) == (False, False, False)
            assert chosen.pack((150,), 5, "a") == (150.0, "a")
            assert chosen.unpack(150.0, "a") == ((150,), None, "a")

    @pytest.mark.parametrize(
        ("settings", "field", "said"),
        [
            (
                {"total_maximum": 2**40 - 1, "tie_break": SCORE},
                "tie_break",
                "40 bits of points and 20 bits of seconds do not fit the 53 bits of a score: put the time in the "
                "member (`tie_break: member`), or lower `total_maximum` to 8,589,934,591.",
            ),
            (  # in the board's decimals, counted from its minimum
                {"decimals": 2, "minimum": -1000, "maximum": 2**40, "total_maximum": 2**40, "tie_break": SCORE},
                "tie_break",
                "`maximum` and `total_maximum` to 85,899,335.91.",
            ),
            ({"criteria": wide(22, 22), "tie_break": SCORE}, "tie_break", "the criteria to 43 bits together"),
            ({"criteria": (*wide(32), WHEN), "tie_break": SCORE}, "tie_break", "`tie_break` to `auto` or `member`"),
            ({"criteria": wide(32, 32), "ties": Ties.SHARED}, "criteria", "are 64 bits; a score holds 63"),
        ],
    )
    def test_what_does_not_fit_is_refused_with_what_would(
        self, settings: dict[str, Any], field: str, said: str
    ) -> None:
        with pytest.raises(BadBoard) as caught:
            layout(WEEK, **settings)

        assert caught.value.field == field
        assert said in caught.value.detail

    def test_what_a_refusal_advises_fits(self) -> None:
        in_decimals = {"decimals": 2, "minimum": -1000, "maximum": 8589933591, "total_maximum": 8589933591}

        assert not layout(WEEK, total_maximum=8_589_934_591, tie_break=SCORE).in_member
        assert layout(WEEK, **in_decimals, tie_break=SCORE).time_bits == 20
        assert not layout(criteria=wide(32, 31), ties=Ties.DENSE).in_member

    def test_criteria_that_do_not_fit_follow_in_the_member(self) -> None:
        chosen = layout(criteria=(*wide(53), MEMBERS, STAGE))

        packed = chosen.pack((5, 7, 9), 1505202213287, "_a_b_")

        assert packed == (5.0, "65528_00009_9223370531652562520__a_b_")
        assert chosen.unpack(*packed) == ((5, 7, 9), 1505202213287, "_a_b_")
        assert chosen.describe() == f"53 bits of c0; members, stage and the time in the member: {FIRST} millisecond"

    def test_the_time_as_a_criterion_goes_to_the_member_where_the_board_wants_it_there(self) -> None:
        chosen = layout(criteria=(STAGE, WHEN, MEMBERS), tie_break=MEMBER)

        packed = chosen.pack((5, 7), 1505202213287, "a")

        assert packed == (5.0, f"{2**32 - 1 - 1505202213:010d}_65528_a")
        assert chosen.unpack(*packed) == ((5, 7), 1505202213000, "a")


class TestLimits:
    @pytest.mark.parametrize("window", [ALL_TIME, MONTH])
    def test_points_outside_the_layout_are_refused(self, window: Window) -> None:
        chosen = layout(window, minimum=-10, maximum=100, total_maximum=100)

        for taken, refused in ((-10, -11), (100, 101)):
            assert chosen.unpack(*chosen.pack((taken,), END - 1, "a")).value == (taken,)
            with pytest.raises(OutOfRange, match="`points` lies outside"):
                chosen.pack((refused,), END - 1, "a")
        of_one_value = layout(window, minimum=7, maximum=7, total_maximum=7)
        assert of_one_value.unpack(*of_one_value.pack((7,), END - 5, "a")) == ((7,), END - 5, "a")

    @pytest.mark.parametrize("ties", [Ties.FIRST_COME, Ties.LAST_COME])
    def test_after_the_end_no_time_is_left_and_a_time_long_before_the_window_is_refused(self, ties: Ties) -> None:
        chosen = layout(tie_break=SCORE, ties=ties)

        assert chosen.quantize(END + 5) == END
        assert chosen.pack((5,), END + 12345, "a") == chosen.pack((5,), END, "a")
        with pytest.raises(OutOfRange, match="time lies outside"):
            chosen.pack((5,), END - 2**22 * 1000, "a")

    def test_seconds_are_exact_though_the_window_ends_between_two(self) -> None:
        ends_at = datetime(2026, 11, 20, 9, 0, 0, 700_000, tzinfo=UTC)
        chosen = layout(event_window(7, ends_at - timedelta(days=30), ends_at), tie_break=SCORE)
        end = milliseconds(ends_at)

        for at_ms in (end - 1, end - 700, end - 701, end - 1700, end - 1701):
            assert chosen.quantize(at_ms) == at_ms // 1000 * 1000
            assert chosen.unpack(*chosen.pack((5,), at_ms, "a")).at_ms == at_ms // 1000 * 1000
