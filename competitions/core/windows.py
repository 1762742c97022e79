"""How long a competition on a board may last: a packed score leaves few bits for the time."""

from dataclasses import replace
from datetime import timedelta

from leaderboards.core.packing.layout import choose_layout
from leaderboards.core.periods import Window
from leaderboards.core.ranking.rules import Rules
from leaderboards.errors import BadBoard

_MOST_BITS = 36  # in seconds: two thousand years


def longest_window(rules: Rules, window: Window) -> timedelta | None:
    """Return the longest length of a window with this start whose scores can be packed; None if no length fits.

    The time left is stored in seconds: with 22 bits, a window lasts at most 2^22 - 1 seconds, which is 48.5 days.
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
