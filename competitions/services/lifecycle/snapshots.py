"""Snapshots: every ``snapshot_minutes`` from the start, while it runs, the best rows of a competition are kept; and as
it freezes, from the copy that the public sees, or else at its end, from the closed standings.

SQL is read, in one statement; where Redis decides, after a mirror pass. One snapshot for each time of the grid,
however often this runs; a run that comes late takes the latest, not a backlog. They are written in
their order: a run that was held up until a later one was there writes nothing, since the later one was compared with
what stood before it.
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
from foundation.worker.each import for_each
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, PeriodState, Storage
from leaderboards.selectors.rankings.sql_ranking import Ranking, closed_ranking, ranking
from leaderboards.services.sync.mirror import mirror

MOST_ROWS = 10_000
CHUNK = 2000
# What was closed longer ago was so before last standings were kept, or is no news any more.
LAST_TAKEN_FOR = timedelta(days=1)


def take_due_snapshots(at: datetime) -> int:
    """Take what is due; returns how many. A competition whose standings cannot be had now is tried again."""
    known = Competition.objects.exclude(published_at=None).filter(cancelled_at=None, starts_at__lte=at)
    to_look_at = (known.filter(ends_at__gt=at) | _without_last(known, at)).select_related("board").defer("picture")
    return sum(for_each(to_look_at, lambda competition: _take_if_due(competition, at)))


def _without_last(known: QuerySet[Competition], at: datetime) -> QuerySet[Competition]:
    """Those that were closed, or whose end came, not long ago, and whose last standings are not kept yet."""
    kept = Snapshot.objects.filter(
        competition=OuterRef("pk"), due_at=Coalesce(OuterRef("frozen_at"), OuterRef("ends_at"))
    )
    ended = known.annotate(over_at=Coalesce("closed_at", "final_at", "ends_at"))
    return ended.filter(~Exists(kept), ends_at__lte=at, over_at__gt=at - LAST_TAKEN_FOR)


def _take_if_due(competition: Competition, at: datetime) -> int:
    taken = 0
    if competition.frozen_at is not None or competition.ends_at <= at:
        taken = int(take_last_snapshot(competition, at) is not None)
    due_at = latest_due_time(competition, at) if at < competition.ends_at else None
    if due_at is None or Snapshot.objects.filter(competition=competition, due_at=due_at).exists():
        return taken
    return taken + (take_snapshot(competition, due_at, at) is not None)


def latest_due_time(competition: Competition, at: datetime) -> datetime | None:
    """The latest time of the grid by ``at``; None before the first, which is one interval after the start."""
    interval = timedelta(minutes=competition.snapshot_minutes)
    nth = (at - competition.starts_at) // interval
    return competition.starts_at + nth * interval if nth >= 1 else None


def take_snapshot(competition: Competition, due_at: datetime, at: datetime) -> Snapshot | None:
    """The snapshot for ``due_at``, None if there is one, or a later one.

    Raises ``Unavailable`` where Redis decides and is away, and ``CompetitionBusy``.
    """
    freeze_if_due(competition, at)  # what is due as it freezes is the public copy
    if competition.frozen_at == due_at:
        return take_last_snapshot(competition, at)
    period = get_or_open_period(competition)
    remove_withdrawn_of(competition, at)
    if period.board.storage == Storage.REDIS:
        _follow(period)
    found = ranking(period, MOST_ROWS)
    failpoint("snapshot.before_write")
    return _write(competition, due_at, at, found)


def take_last_snapshot(competition: Competition, at: datetime) -> Snapshot | None:
    """The last snapshot that anybody is told of: the public copy as it froze, else the standings as they were closed.

    None if there is one, or if the copy is not made or the period not closed yet.
    """
    due_at = competition.frozen_at or competition.ends_at
    if Snapshot.objects.filter(competition=competition, due_at=due_at).exists():
        return None
    if competition.frozen_at is None and competition.is_hidden(at):
        return None
    label = competition.label if competition.frozen_at is None else competition.frozen_label
    periods = Period.objects.select_related("board").filter(board=competition.board_id, label=label)
    closed = periods.filter(state__in=(PeriodState.FINAL, PeriodState.EXPIRED)).first()
    if closed is None:
        return None
    found = closed_ranking(closed, MOST_ROWS)
    failpoint("snapshot.before_write")
    return _write(competition, due_at, due_at, found, is_last=True)


def _follow(period: Period) -> None:
    """Let SQL follow to this moment. Raises ``Unavailable``."""
    mirror(period)
    period.refresh_from_db(fields=["stale_since"])
    if period.stale_since is not None:
        raise StorageUnavailable("The standings in Redis are being settled.")


@transaction.atomic
def _write(
    competition: Competition, due_at: datetime, at: datetime, found: Ranking, is_last: bool = False
) -> Snapshot | None:
    frozen_at = lock_competition(competition).frozen_at
    if not is_last and Snapshot.objects.filter(competition=competition, due_at__gt=due_at).exists():
        return None  # held up: what came after it may have been told already
    # What was read may be from after a freeze that came meanwhile: it must not be taken for what came before.
    taken_at = at if is_last else max(at, frozen_at or at)
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
