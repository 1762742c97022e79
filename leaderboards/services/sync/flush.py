"""Copy everything that only Redis has to SQL, before something reads SQL alone.

Other apps register their own mirror (``register_hook``).
"""

from collections.abc import Callable

from leaderboards.services.sync.mirror import mirror_all

MAX_WAIT_SECONDS = 60.0  # a person waits for it

Flush = Callable[[float], object]
_hooks: list[Flush] = []


def register_hook(flush: Flush) -> None:
    """Add a mirror, which is called with its time budget in seconds. Adding it twice changes nothing.

    If Redis is unavailable, it must log that and return.
    """
    if flush not in _hooks:
        _hooks.append(flush)


def flush_to_sql() -> None:
    """Mirror the boards and everything else that Redis decides."""
    for flush in (mirror_all, *_hooks):
        flush(MAX_WAIT_SECONDS)
