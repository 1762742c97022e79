"""Letting SQL follow all that only Redis has, for those who read SQL alone afterwards.

Apps above add theirs (``also``).
"""

from collections.abc import Callable

from leaderboards.services.mirror import mirror_all

PATIENCE_SECONDS = 60.0  # there is somebody who waits for it

Follow = Callable[[float], object]
_more: list[Follow] = []


def also(follow: Follow) -> None:
    """Have ``follow`` called too, with the seconds that it has; where Redis is away it says so in the log. Asking twice
    changes nothing.
    """
    if follow not in _more:
        _more.append(follow)


def follow_all() -> None:
    """Mirror the boards, and whatever else Redis decides over."""
    for follow in (mirror_all, *_more):
        follow(PATIENCE_SECONDS)
