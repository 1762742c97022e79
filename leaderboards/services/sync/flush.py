"""Letting SQL follow all that only Redis has, for those who read SQL alone afterwards.

Apps above add theirs (``register_hook``).
"""

from collections.abc import Callable

from leaderboards.services.sync.mirror import mirror_all

MAX_WAIT_SECONDS = 60.0  # there is somebody who waits for it

Flush = Callable[[float], object]
_more: list[Flush] = []


def register_hook(follow: Flush) -> None:
    """Have ``follow`` called too, with the seconds that it has; where Redis is away it says so in the log. Asking twice
    changes nothing.
    """
    if follow not in _more:
        _more.append(follow)


def flush_to_sql() -> None:
    """Mirror the boards, and whatever else Redis decides over."""
    for follow in (mirror_all, *_more):
        follow(MAX_WAIT_SECONDS)
