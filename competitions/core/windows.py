"""How long a competition on a board may last: where the time left stands in the score, its bits are few."""

from dataclasses import replace
from datetime import timedelta

from leaderboards.core.packing.layout import choose_layout
from leaderboards.core.periods import Window
from leaderboards.core.ranking.rules import Rules
from leaderboards.errors import BadBoard

_MOST_BITS = 36  # of seconds: two thousand years


def longest_window(rules: Rules, window: Window) -> timedelta | None:
    """How long a window may last that starts as this one does, and hold scores of these rules; None if none can.

    A time left of so many bits of seconds holds 2^bits - 1 of them: 22 bits are 48.5 days.
    """
    for bits in range(_MOST_BITS, 0, -1):
        length = timedelta(seconds=2**bits - 1)
        if window.starts_at and _fits(rules, replace(window, ends_at=window.starts_at + length)):
            return length
    return None


def _fits(rules: Rules, window: Window) -> bool:
    try:
        choose_layout(rules, window)
    except BadBoard:
        return False
    return True
