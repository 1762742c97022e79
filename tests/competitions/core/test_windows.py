"""How long a competition may last: computed from the bits that are left for seconds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from competitions.core.windows import longest_window
from leaderboards.core.periods import Window
from leaderboards.core.rules import Rules, TieBreak
from leaderboards.core.scores import choose_layout
from leaderboards.errors import BadBoard

START = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW = Window("c7", START, START + timedelta(days=1))
EXERCISE = Rules(tie_break=TieBreak.SCORE)


def test_31_bits_of_points_leave_22_bits_of_seconds_which_are_48_days_and_a_half_and_no_second_more() -> None:
    longest = longest_window(EXERCISE, WINDOW)

    assert longest == timedelta(seconds=2**22 - 1)
    assert longest / timedelta(days=1) == pytest.approx(48.5, abs=0.05)
    choose_layout(EXERCISE, replace(WINDOW, ends_at=START + longest))
    with pytest.raises(BadBoard):
        choose_layout(EXERCISE, replace(WINDOW, ends_at=START + longest + timedelta(seconds=1)))


def test_where_the_member_takes_the_time_a_window_lasts_for_ages() -> None:
    longest = longest_window(Rules(), WINDOW)

    assert longest is not None
    assert longest > timedelta(days=365 * 1000)


def test_where_not_even_a_second_fits_there_is_none() -> None:
    assert longest_window(replace(EXERCISE, total_maximum=2**53 - 1), WINDOW) is None
