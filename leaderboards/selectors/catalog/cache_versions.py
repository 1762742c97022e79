"""Cache versions: how a reader knows, without asking SQL, that its cached rows of a board and period are current.

Redis keeps a cache version for each running period. A writer whose change readers can see deletes that version after
its commit and before its acknowledgement (``services/sync/invalidate.py``); the next reader creates a new one.
A reader works in this order: fetch the version, read the rows from SQL, let the Lua read script compare the version.
If the version is the same, the rows hold every acknowledged change.

The trap: if a change does not reach Redis, cached rows only expire by age, after ``MAX_READ_STALENESS_SECONDS``.
"""

import logging
from collections.abc import Mapping
from typing import NamedTuple

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from leaderboards.models import ACTIVE_STATES, IN_REDIS, Board, Period
from leaderboards.stores.redis import noted_changes
from leaderboards.stores.redis.cache_versions import fetch_cache_version

logger = logging.getLogger(__name__)

MAX_READ_STALENESS_SECONDS = 1.0  # like HIDDEN_SECONDS: the delay until a hidden player disappears
MAX_KNOWN_VERSIONS = 10_000


class KnownVersion(NamedTuple):
    """A cache ``version``, and when Redis had answered with it (monotonic seconds)."""

    version: str
    at: float


_known_versions: dict[str, KnownVersion] = {}


def known_version(period: Period) -> KnownVersion | None:
    """Return the version that this process fetched last."""
    return _known_versions.get(period.family.zset)


def fetch_version(period: Period) -> None:
    """Fetch the current version from Redis; read SQL only after this. If Redis is away, no version is known."""
    name = period.family.zset
    _known_versions.pop(name, None)
    try:
        version = fetch_cache_version(redis.boards(), period)
    except Unavailable as error:
        logger.info("the cache version of period %s is not known: %s", period.pk, error.detail)
        return
    if len(_known_versions) >= MAX_KNOWN_VERSIONS:
        _known_versions.clear()
    if version:
        _known_versions[name] = KnownVersion(version, clock.monotonic())


def changed_since(ages: Mapping[str, float]) -> set[str]:
    """Those of ``ages`` (a board's prefix or a competition's sorted set → seconds) of which Redis notes a later change.

    None if Redis is away: then nobody can read standings by old rows either.
    """
    try:
        return noted_changes.changed_since(redis.boards(), ages)
    except Unavailable as error:
        logger.info("nobody says whether boards have changed while SQL is away: %s", error.detail)
        return set()


def has_cache_version(board: Board, period: Period) -> bool:
    """Return whether one family in Redis shows the period: it runs or closes, is not stale, and Redis stores the board.

    A divided or compact period has no cache version: its rows are read from SQL each time.

    ``board`` is passed since a cached period row has none, and ``period.board`` would ask SQL.
    """
    if board.storage not in IN_REDIS or period.is_divided or period.is_compact:
        return False
    return period.stale_since is None and period.state in ACTIVE_STATES


def clear_known_versions() -> None:
    """Forget all fetched versions (for tests)."""
    _known_versions.clear()
