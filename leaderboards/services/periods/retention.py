"""Retention: what may go, goes in small steps. Keys of periods long final, submissions nobody can void any more,
records of trouble that is over, and most of the ranks that were kept.

On all-time boards, which never become final, old submissions fold into one baseline per player, so that a
standing is still what its submissions make it.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from foundation.db.resilience import long_transaction
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync import barrier
from foundation.worker.each import for_each
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.policies import replay
from leaderboards.models import (
    Board,
    Difference,
    LinkCode,
    Period,
    PeriodSnapshot,
    PeriodState,
    PurgedSubmission,
    QuarantinedEntry,
    Standing,
    Storage,
    Submission,
    SubmissionEdit,
)
from leaderboards.selectors.moderation.purges import BASELINE
from leaderboards.services.sync.mirror import DROPPED
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.sql.writes import state_of

BATCH = 1000
EACH_SNAPSHOT_FOR = timedelta(days=2)  # then one a day
DAILY_SNAPSHOTS_FOR = timedelta(days=400)  # a year and what follows it; all-time boards never end


def expire_due(at: datetime) -> int:
    """Unlink the keys of periods that have been final for their board's retention; returns how many expired.

    Periods whose Redis is away wait. One that fails keeps no other waiting; what failed is raised at the end.
    """
    final = Period.objects.filter(state=PeriodState.FINAL).select_related("board")
    return sum(for_each(final, lambda period: _expire_if_due(period, at)))


def _expire_if_due(period: Period, at: datetime) -> int:
    if period.closed_at is None or at - period.closed_at < timedelta(days=period.board.retention_days):
        return 0
    if period.board.storage != Storage.SQL:
        ZsetSync(redis.resync_client()).unlink(period)
    return Period.objects.filter(pk=period.pk, state=PeriodState.FINAL).update(state=PeriodState.EXPIRED)


def drop_submissions(at: datetime) -> int:
    """Delete submissions of periods long final; returns how many. A board that fails keeps no other waiting."""
    return sum(for_each(Board.objects.exclude(storage=Storage.REDIS), lambda board: _drop_of(board, at)))


def _drop_of(board: Board, at: datetime) -> int:
    before = at - timedelta(days=board.keep_submissions_days)
    return _delete(Submission.objects.filter(period__board=board, period__closed_at__lt=before))


def drop_records(at: datetime) -> int:
    """Delete dead letters that are done with, differences, link codes and decided quarantine of long ago; how many.

    A letter that was dropped stays until its period is final: closing asks what was given up.
    """
    before = at - timedelta(days=settings.KEEP_RECORDS_DAYS)
    living = Period.objects.filter(board__storage=Storage.REDIS, state__in=(PeriodState.OPEN, PeriodState.CLOSING))
    asked = DeadLetter.objects.filter(resolution=DROPPED, payload__period__in=list(living.values_list("pk", flat=True)))
    return (
        _delete(DeadLetter.objects.filter(resolved_at__lt=before).exclude(pk__in=asked.values("pk")))
        + _delete(Difference.objects.filter(found_at__lt=before))
        + _delete(QuarantinedEntry.objects.filter(decided_at__lt=before).exclude(decision=""))
        + _delete(LinkCode.objects.filter(expires_at__lt=before))
    )


def thin_snapshots(at: datetime) -> int:
    """Let go kept ranks: with their period's keys, else all but the first of a day after two days; returns how many.

    Days are the board's own, so that what was gained on each of them can be told for as long as looks stay.
    """
    old = PeriodSnapshot.objects.filter(due_at__lt=at - EACH_SNAPSHOT_FOR).exclude(period__state=PeriodState.EXPIRED)
    ancient = Q(due_at__lt=at - DAILY_SNAPSHOTS_FOR) | Q(period__state=PeriodState.EXPIRED)
    with long_transaction():
        gone = set(PeriodSnapshot.objects.filter(ancient).values_list("pk", flat=True)) | set(_crowded(old))
    for pk in gone:  # each may have ten thousand rows
        PeriodSnapshot.objects.filter(pk=pk).delete()
    return len(gone)


def _crowded(snapshots: QuerySet[PeriodSnapshot]) -> Iterator[int]:
    """All but the first of each day of their board."""
    rows = snapshots.order_by("period", "due_at").values_list(
        "pk", "period", "due_at", "period__board__timezone", "period__board__cutoff"
    )
    before = None
    for pk, period, due_at, timezone, cutoff in rows.iterator(chunk_size=BATCH):
        hours, minutes = (int(part) for part in cutoff.split(":"))
        since_cutoff = due_at.astimezone(ZoneInfo(timezone)) - timedelta(hours=hours, minutes=minutes)
        day = period, since_cutoff.date()
        if day == before:
            yield pk
        before = day


def _delete(rows: QuerySet[Any]) -> int:
    """In small batches, each a transaction of its own. To find one may take long where nothing else was left."""
    gone = 0
    while True:
        with long_transaction():
            batch = list(rows.values_list("pk", flat=True)[:BATCH])
            if not batch:
                return gone
            gone += rows.model._default_manager.filter(pk__in=batch).delete()[0]


def compact_submissions(at: datetime) -> int:
    """Fold old submissions of all-time boards; returns how many went into a baseline. A board that fails keeps
    no other waiting.
    """
    boards = Board.objects.filter(period=PeriodKind.ALL_TIME).exclude(storage=Storage.REDIS)
    return sum(for_each(boards, lambda board: _fold_of(board, at)))


def _fold_of(board: Board, at: datetime) -> int:
    folded, before = 0, at - timedelta(days=board.keep_submissions_days)
    for period in Period.objects.filter(board=board):
        old = Submission.objects.filter(period=period, created_at__lt=before).exclude(service=BASELINE)
        players = old.order_by("player_id").values_list("player_id", flat=True).distinct()
        while batch := _at_leisure(players[:BATCH]):
            folded += sum(_fold(period, player_id, before) for player_id in batch)
    return folded


def _at_leisure(players: QuerySet[Any, int]) -> list[int]:
    with long_transaction():
        return list(players)


@transaction.atomic
def _fold(period: Period, player_id: int, before: datetime) -> int:
    """Replace a player's old submissions by what they amount to, in the place of the first of them."""
    barrier.hold_shared(period.pk)
    list(Standing.objects.select_for_update().filter(period=period, player=player_id))
    rows = list(Submission.objects.filter(period=period, player=player_id, created_at__lt=before).order_by("pk"))
    if not rows:
        return 0  # another run was here
    state = replay(period.rules, (state_of(row.points, row.fields, row.at) for row in rows if row.voided_at is None))
    first = Submission.objects.filter(pk=rows[0].pk)
    for told in (PurgedSubmission, SubmissionEdit):  # of a single submission, which it is no more
        told.objects.filter(submission=rows[0].pk).delete()
    Submission.objects.filter(pk__in=[row.pk for row in rows[1:]]).delete()
    if state is None:
        first.delete()
        return len(rows)
    worth = {"fields": list(state.value)} if period.rules.criteria else {"points": state.value[0]}
    at = from_milliseconds(state.at_ms)
    first.update(service=BASELINE, external_id=None, freed_id=None, at=at, sent_at=None, voided_at=None, **worth)
    return len(rows)
