"""The mirror: SQL follows the boards that Redis decides over, within a second.

It copies states, never deltas, each with a version: run twice, late, at once or cut off anywhere, it
changes nothing that is not newer. A dirty mark goes only while it is of the version that was copied.
"""

import logging
from collections.abc import Sequence

from django.db import transaction

from foundation import clock, redis
from foundation.errors import Unavailable
from foundation.models import Heartbeat
from leaderboards.models import Period, State, Storage
from leaderboards.selectors.lag import MIRROR
from leaderboards.stores import barrier
from leaderboards.stores.sql_writes import StandingRow, ensure_players, write_standings
from leaderboards.stores.zset_settling import Dirty, ZsetSettler
from leaderboards.stores.zset_writes import state_from

logger = logging.getLogger(__name__)

CHUNK = 1000


def mirror_all() -> int:
    """Copy what is dirty in every living redis period; returns how many standings were copied.

    Where Redis is away the dirty marks stay, and the next run goes on. A run that missed nothing says so.
    """
    copied, missed = 0, False
    periods = Period.objects.filter(board__storage=Storage.REDIS, state__in=(State.OPEN, State.CLOSING))
    for period in periods.select_related("board"):
        try:
            copied += mirror(period)
        except Unavailable as error:
            missed = True
            logger.warning("period %s is not mirrored now: %s", period.pk, error.detail)
    if not missed:
        Heartbeat.note(MIRROR, clock.now())
    return copied


def mirror(period: Period) -> int:
    """Copy everything of one period that is dirty by now. Raises what the link raises.

    It ends with a chunk that left nothing behind, not when nothing is dirty: under steady load that never comes.
    """
    copied = 0
    while True:
        found, left = _mirror_chunk(period)
        copied += found
        if not found or not left:
            return copied


def _mirror_chunk(period: Period) -> tuple[int, int]:
    """How many standings were copied, and how many more were dirty at that moment."""
    settler = ZsetSettler(redis.boards())
    if not settler.dirty(period, 1)[0]:
        return 0, 0
    with transaction.atomic():
        barrier.hold_shared(period.pk)
        period.refresh_from_db(fields=["generation", "stale_since", "state"])
        if period.stale_since is not None:
            return 0, 0
        total, rows = settler.dirty(period, CHUNK)
        _copy(period, rows)
    settler.clean(period, rows)
    return len(rows), max(0, total - len(rows))


def _copy(period: Period, rows: Sequence[Dirty]) -> None:
    players = ensure_players((row.player for row in rows), clock.now())
    ordered = sorted(rows, key=lambda row: players[row.player].pk)
    write_standings(period, [_standing_row(period, players[row.player].pk, row) for row in ordered], only_newer=True)


def _standing_row(period: Period, player_id: int, row: Dirty) -> StandingRow:
    if row.score is None:
        return StandingRow(player_id, row.player, None, None, row.version)
    state = state_from(period, row.score, row.member, row.held)
    return StandingRow(player_id, row.member, state, row.score, row.version)
