"""Snapshots: every ``snapshot_minutes`` from the start, while it runs, the best rows of a competition are kept.

SQL is read, in one statement; where Redis decides, after a mirror pass. One snapshot for each time of the grid,
however often this runs; a run that comes late takes the latest, not a backlog.
"""

from datetime import datetime, timedelta

from django.db import transaction

from competitions.models import Competition, Snapshot, SnapshotRow
from competitions.services.locked import period_of
from competitions.services.strays import take_out_strays
from foundation.each import for_each
from foundation.failpoints import failpoint
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, Storage
from leaderboards.selectors.ranked import Ranking, ranking
from leaderboards.services.mirror import mirror

MOST_ROWS = 10_000
CHUNK = 2000


def take_due(at: datetime) -> int:
    """Take what is due; returns how many. A competition whose standings cannot be had now is tried again."""
    running = Competition.objects.exclude(published_at=None).filter(
        cancelled_at=None, starts_at__lte=at, ends_at__gt=at
    )
    running = running.select_related("board").defer("picture")
    return sum(for_each(running, lambda competition: _take_if_due(competition, at)))


def _take_if_due(competition: Competition, at: datetime) -> bool:
    due_at = due(competition, at)
    if due_at is None or Snapshot.objects.filter(competition=competition, due_at=due_at).exists():
        return False
    return take(competition, due_at, at) is not None


def due(competition: Competition, at: datetime) -> datetime | None:
    """The latest time of the grid by ``at``; None before the first, which is one interval after the start."""
    interval = timedelta(minutes=competition.snapshot_minutes)
    nth = (at - competition.starts_at) // interval
    return competition.starts_at + nth * interval if nth >= 1 else None


def take(competition: Competition, due_at: datetime, at: datetime) -> Snapshot | None:
    """The snapshot for ``due_at``, None if there is one. Raises ``Unavailable`` where Redis decides and is away."""
    period = period_of(competition)
    take_out_strays(competition, at)
    if period.board.storage == Storage.REDIS:
        _follow(period)
    found = ranking(period, MOST_ROWS)
    failpoint("snapshot.before_write")
    return _write(competition, due_at, at, found)


def _follow(period: Period) -> None:
    """Let SQL follow to this moment. Raises ``Unavailable``."""
    mirror(period)
    period.refresh_from_db(fields=["stale_since"])
    if period.stale_since is not None:
        raise StorageUnavailable("The standings in Redis are being settled.")


@transaction.atomic
def _write(competition: Competition, due_at: datetime, at: datetime, found: Ranking) -> Snapshot | None:
    # What was read may be from after a freeze that came meanwhile: it must not be taken for what came before.
    frozen_at = Competition.objects.values_list("frozen_at", flat=True).get(pk=competition.pk)
    taken_at = max(at, frozen_at or at)
    snapshot, made = Snapshot.objects.get_or_create(
        competition=competition, due_at=due_at, defaults={"taken_at": taken_at, "total": found.total}
    )
    if not made:
        return None
    rows = (
        SnapshotRow(snapshot=snapshot, player_id=row.player_id, rank=row.rank, points=row.points, fields=row.fields)
        for row in found.rows
    )
    SnapshotRow.objects.bulk_create(rows, batch_size=CHUNK)
    failpoint("snapshot.before_commit")
    return snapshot
