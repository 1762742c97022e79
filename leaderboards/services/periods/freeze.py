"""Freeze a period: copy its standings to a new period, with its own label, that is final from the start.

The copy is read like any final period. It has no keys in Redis and only final standings, and the worker ignores it. The
trap: it must exist before the first change that it is to hide.
"""

from datetime import datetime

from django.db import transaction

from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.sync import barrier
from leaderboards.errors import StorageUnavailable
from leaderboards.models import OVER_STATES, Period, PeriodState, Storage
from leaderboards.services.sync.mirror import mirror
from leaderboards.stores.sql.final import content_hash, write_final_standings


@transaction.atomic
def copy_period_in_sql(period: Period, label: str, at: datetime) -> Period:
    """Return or create the copy of what SQL has, within a transaction; call ``mirror_before_copy`` before that."""
    copy = _find_copy(period, label)
    if copy is None:
        barrier.hold_exclusive(period.pk)
        copy = _find_copy(period, label) or _create_copy(period, label, at)
    failpoint("freeze.before_commit")
    return copy


def mirror_before_copy(period: Period) -> None:
    """Mirror what was submitted before the call. Call it outside of any transaction, since it clears marks in Redis.

    Raises ``Unavailable`` if Redis decides for the board and is unavailable or being resynced.
    """
    if period.board.storage != Storage.REDIS or period.state in OVER_STATES:
        return
    mirror(period)
    period.refresh_from_db(fields=["stale_since"])
    if period.stale_since is not None:
        raise StorageUnavailable(Message("Its standings in Redis are being brought up to date; try again in a moment."))


def _find_copy(period: Period, label: str) -> Period | None:
    return Period.objects.filter(board=period.board_id, label=label).first()


def _create_copy(period: Period, label: str, at: datetime) -> Period:
    period.refresh_from_db()
    copy = Period.objects.create(
        board=period.board,
        label=label,
        starts_at=period.starts_at,
        ends_at=period.ends_at,
        rules_json=period.rules_json,
        state=PeriodState.FINAL,
        closed_at=at,
    )
    copy.players = write_final_standings(period, copy)
    copy.content_hash = content_hash(copy)
    copy.save(update_fields=["players", "content_hash"])
    return copy
