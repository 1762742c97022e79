"""Where a competition stands, from its timestamps alone, and how long its scores let it last."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from competitions.core.lifecycle import Phase, Timeline
from competitions.core.windows import longest_window
from leaderboards.core.packing.layout import choose_layout
from leaderboards.core.periods import Window
from leaderboards.core.ranking.rules import Rules, TieBreak
from leaderboards.errors import BadBoard

START = datetime(2026, 11, 20, 9, tzinfo=UTC)
END = START + timedelta(days=2)
SECOND = timedelta(seconds=1)
PUBLISHED = Timeline(START, END, published_at=START - timedelta(days=1))
HOUR = timedelta(hours=1)
FREEZING = replace(PUBLISHED, freeze=HOUR)


@pytest.mark.parametrize(
    ("timeline", "at", "phase"),
    [
        (Timeline(START, END), START, Phase.DRAFT),
        (PUBLISHED, START - SECOND, Phase.OPEN),
        (PUBLISHED, START, Phase.RUNNING),
        (PUBLISHED, END - SECOND, Phase.RUNNING),
        (PUBLISHED, END, Phase.CLOSING),
        (replace(PUBLISHED, final_at=END), END, Phase.FINAL),
        (replace(PUBLISHED, cancelled_at=START), END, Phase.CANCELLED),
        (FREEZING, END - HOUR - SECOND, Phase.RUNNING),
        (FREEZING, END - HOUR, Phase.FROZEN),
        (replace(FREEZING, final_at=END), END + HOUR, Phase.FROZEN),
        (replace(FREEZING, final_at=END, revealed_at=END + HOUR), END + HOUR, Phase.FINAL),
        (replace(FREEZING, cancelled_at=END), END, Phase.CANCELLED),
    ],
)
def test_a_phase_follows_from_the_timestamps(timeline: Timeline, at: datetime, phase: Phase) -> None:
    assert timeline.phase(at) is phase


@pytest.mark.parametrize("freeze", [timedelta(days=2), timedelta(days=9), timedelta(minutes=2**31 - 1)])
def test_a_freeze_longer_than_the_competition_begins_with_it(freeze: timedelta) -> None:
    assert replace(PUBLISHED, freeze=freeze).freezes_at == START


def test_once_frozen_it_stays_hidden_until_the_reveal_also_if_the_end_moves() -> None:
    frozen = replace(FREEZING, frozen_at=END - HOUR, ends_at=END + timedelta(days=1))

    assert frozen.is_hidden(END - HOUR)
    assert frozen.phase(END) is Phase.FROZEN
    assert not replace(frozen, revealed_at=END).is_hidden(END)


def test_31_bits_of_points_leave_22_bits_of_seconds_which_are_48_days_and_a_half_and_no_second_more() -> None:
    exercise, window = Rules(tie_break=TieBreak.SCORE), Window("c7", START, END)

    longest = longest_window(exercise, window)

    assert longest == timedelta(seconds=2**22 - 1)
    choose_layout(exercise, replace(window, ends_at=START + longest))
    with pytest.raises(BadBoard):
        choose_layout(exercise, replace(window, ends_at=START + longest + SECOND))
    assert longest_window(replace(exercise, total_maximum=2**53 - 1), window) is None  # not even a second fits
    assert (longest_window(Rules(), window) or timedelta()) > timedelta(days=365 * 1000)


@pytest.mark.parametrize(
    ("seconds", "minutes", "nothing"), [(90, 1, False), (60, 1, True), (90, 2, True), (61, 1, False)]
)
def test_nothing_is_shown_only_where_the_freeze_leaves_no_second_of_it(
    seconds: int, minutes: int, nothing: bool
) -> None:
    timeline = Timeline(START, START + seconds * SECOND, published_at=START - HOUR, freeze=timedelta(minutes=minutes))

    assert timeline.hides_from_the_start is nothing
    assert timeline.shows_nothing(START + seconds * SECOND) is nothing
    assert not timeline.shows_nothing(START - SECOND)
    assert not replace(timeline, revealed_at=timeline.ends_at).shows_nothing(timeline.ends_at + HOUR)
