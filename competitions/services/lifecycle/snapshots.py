"""Take snapshots: the best rows of a running competition, every ``snapshot_minutes`` from its start.

The last one is taken from the frozen copy, or without a freeze from the closed standings. Snapshots are read from SQL
in one statement, after a mirror pass on boards that Redis decides. Each scheduled time has one snapshot, however often
this runs. A late run takes only the latest. Snapshots are written in order: a delayed run writes nothing if a later
snapshot exists, which was compared with the one before it.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from competitions.models import Competition, Snapshot, SnapshotRow
from competitions.services.lifecycle.freeze import freeze_if_due
from competitions.services.locks import get_or_open_period, lock_competition
from competitions.services.participants.remove_withdrawn import remove_withdrawn_of
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.worker.each import for_each
from leaderboards.errors import StorageUnavailable
from leaderboards.models import OVER_STATES, Period, Storage
from leaderboards.selectors.rankings.sql_ranking import Ranking, closed_ranking, ranking
from leaderboards.services.sync.mirror import mirror

MOST_ROWS = 10_000
CHUNK = 2000
# For a competition that closed longer ago, no last snapshot is taken: its alerts would be old news.
LAST_TAKEN_FOR = timedelta(days=1)


def take_due_snapshots(at: datetime) -> int:
    """Take the snapshots that are due; returns how many. Competitions whose standings are unavailable are retried."""
    started = Competition.objects.exclude(published_at=None).filter(cancelled_at=None, starts_at__lte=at)
    candidates = started.filter(ends_at__gt=at) | _without_last_snapshot(started, at)
    candidates = candidates.select_related("board").defer("picture")
    return sum(for_each(candidates, lambda competition: _take_if_due(competition, at)))


def _without_last_snapshot(started: QuerySet[Competition], at: datetime) -> QuerySet[Competition]:
    """Return the competitions that ended recently and have no last snapshot yet."""
    last_snapshot = Snapshot.objects.filter(
        competition=OuterRef("pk"), due_at=Coalesce(OuterRef("frozen_at"), OuterRef("ends_at"))
    )
    ended = started.annotate(over_at=Coalesce("closed_at", "final_at", "ends_at"))
    return ended.filter(~Exists(last_snapshot), ends_at__lte=at, over_at__gt=at - LAST_TAKEN_FOR)


def _take_if_due(competition: Competition, at: datetime) -> int:
    taken = 0
    if competition.frozen_at is not None or competition.ends_at <= at:
        taken = int(take_last_snapshot(competition, at) is not None)
    due_at = latest_due_time(competition, at) if at < competition.ends_at else None
    if due_at is None or Snapshot.objects.filter(competition=competition, due_at=due_at).exists():
        return taken
    return taken + (take_snapshot(competition, due_at, at) is not None)


def latest_due_time(competition: Competition, at: datetime) -> datetime | None:
    """Return the latest scheduled time until ``at``; None before the first, which is one interval after the start."""
    interval = timedelta(minutes=competition.snapshot_minutes)
    nth = (at - competition.starts_at) // interval
    return competition.starts_at + nth * interval if nth >= 1 else None


def take_snapshot(competition: Competition, due_at: datetime, at: datetime) -> Snapshot | None:
    """Take the snapshot for ``due_at``; None if it exists already, or a later one.

    Raises ``Unavailable`` if the board needs Redis and Redis is away, and ``CompetitionBusy``.
    """
    freeze_if_due(competition, at)  # a snapshot that is due at the freeze is taken from the frozen copy
    if competition.frozen_at == due_at:
        return take_last_snapshot(competition, at)
    period = get_or_open_period(competition)
    remove_withdrawn_of(competition, at)
    if period.board.storage == Storage.REDIS:
        _mirror_to_sql(period)
    rows = ranking(period, MOST_ROWS)
    failpoint("snapshot.before_write")
    return _write(competition, due_at, at, rows)


def take_last_snapshot(competition: Competition, at: datetime) -> Snapshot | None:
    """Take the last snapshot with rank alerts: from the frozen copy, or else from the closed standings.

    Returns None if it exists already, or while the copy is not made or the period is not closed.
    """
    due_at = competition.frozen_at or competition.ends_at
    if Snapshot.objects.filter(competition=competition, due_at=due_at).exists():
        return None
    if competition.frozen_at is None and competition.is_hidden(at):
        return None
    label = competition.label if competition.frozen_at is None else competition.frozen_label
    periods = Period.objects.select_related("board").filter(board=competition.board_id, label=label)
    closed = periods.filter(state__in=OVER_STATES).first()
    if closed is None:
        return None
    rows = closed_ranking(closed, MOST_ROWS)
    failpoint("snapshot.before_write")
    return _write(competition, due_at, due_at, rows, is_last=True)


def _mirror_to_sql(period: Period) -> None:
    """Bring SQL up to this moment. Raises ``Unavailable``."""
    mirror(period)
    period.refresh_from_db(fields=["stale_since"])
    if period.stale_since is not None:
        raise StorageUnavailable(Message("The standings in Redis are being brought up to date."))


@transaction.atomic
def _write(
    competition: Competition, due_at: datetime, at: datetime, rows: Ranking, is_last: bool = False
) -> Snapshot | None:
    frozen_at = lock_competition(competition).frozen_at
    if not is_last and Snapshot.objects.filter(competition=competition, due_at__gt=due_at).exists():
        return None  # too late: the alerts of a later snapshot may have been written
    # If a freeze came meanwhile, the rows may be newer than it: the snapshot must not count as taken before it.
    taken_at = at if is_last else max(at, frozen_at or at)
    snapshot, is_new = Snapshot.objects.get_or_create(
        competition=competition, due_at=due_at, defaults={"taken_at": taken_at, "total": rows.total}
    )
    if not is_new:
        return None
    snapshot_rows = (
        SnapshotRow(snapshot=snapshot, player_id=row.player_id, rank=row.rank, points=row.points, fields=row.fields)
        for row in rows.rows
    )
    SnapshotRow.objects.bulk_create(snapshot_rows, batch_size=CHUNK)
    failpoint("snapshot.before_commit")
    return snapshot
