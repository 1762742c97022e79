"""Freezing: a copy of a period as it stands now, under a label of its own, that is final from its first moment.

It is read like any final period, and nothing of the schedule has work with it: no keys in Redis, no standings but
the final ones, nothing to close. The trap: it must be there before the first change that it is to hide.
"""

from datetime import datetime

from django.db import transaction

from foundation.failpoints import failpoint
from foundation.sync import barrier
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, PeriodState, Storage
from leaderboards.services.sync.mirror import mirror
from leaderboards.stores.sql.final import content_hash, write_final_standings


def copy_period(period: Period, label: str, at: datetime) -> Period:
    """The copy of ``period`` that bears ``label``, made if it is not there; called twice or at once, it is one.

    It has what was submitted before the call; what comes meanwhile may be in it or not. Raises ``Unavailable``
    where Redis decides for the board and is away or being settled.
    """
    made = _made(period, label)
    if made is None:
        mirror_before_copy(period)
        made = copy_period_in_sql(period, label, at)
    failpoint("freeze.after_commit")
    return made


@transaction.atomic
def copy_period_in_sql(period: Period, label: str, at: datetime) -> Period:
    """The same of what SQL has: for who holds a transaction, and called ``mirror_before_copy`` before it."""
    made = _made(period, label)
    if made is None:
        barrier.hold_exclusive(period.pk)
        made = _made(period, label) or _copy(period, label, at)
    failpoint("freeze.before_commit")
    return made


def mirror_before_copy(period: Period) -> None:
    """Bring to SQL what was submitted before the call: outside of any transaction, since Redis is told what is copied.

    Raises ``Unavailable`` where Redis decides for the board and is away or being settled.
    """
    if period.board.storage != Storage.REDIS or period.state in (PeriodState.FINAL, PeriodState.EXPIRED):
        return
    mirror(period)
    period.refresh_from_db(fields=["stale_since"])
    if period.stale_since is not None:
        raise StorageUnavailable("Its standings in Redis are being settled; try again in a moment.")


def _made(period: Period, label: str) -> Period | None:
    return Period.objects.filter(board=period.board_id, label=label).first()


def _copy(period: Period, label: str, at: datetime) -> Period:
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
