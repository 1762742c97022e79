"""Retention: delete old data in small batches.

It deletes keys and items of final periods, submissions that cannot be voided any more, records of solved problems, and
most of the rank history. All-time boards never become final: there a player's old submissions are compacted into one
baseline, so that the standing still follows from its submissions.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet

from foundation.db.resilience import long_transaction
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sunwi_settings import sunwi_settings
from foundation.sync import barrier
from foundation.worker.each import for_each
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.policies import replay
from leaderboards.models import (
    ACTIVE_STATES,
    IN_REDIS,
    Board,
    Difference,
    LinkCode,
    NameChange,
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
from leaderboards.stores.dynamodb.writes import DynamoWriter
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.sql.writes import submission_state

BATCH = 1000
EACH_SNAPSHOT_FOR = timedelta(days=2)  # then one a day
KEEP_NAME_CHANGES = timedelta(days=1)  # longer than a process may not ask, and than a transaction takes
DAILY_SNAPSHOTS_FOR = timedelta(days=400)  # a bit over a year


def expire_due(at: datetime) -> int:
    """Delete the keys and items of periods that were final for ``retention_days``; returns how many periods expired.

    While Redis or DynamoDB is unavailable, its periods wait. Other errors are raised together at the end.
    """
    final = Period.objects.filter(state=PeriodState.FINAL).select_related("board")
    return sum(for_each(final, lambda period: _expire_if_due(period, at)))


def _expire_if_due(period: Period, at: datetime) -> int:
    if period.closed_at is None or at - period.closed_at < timedelta(days=period.board.retention_days):
        return 0
    if period.board.storage in IN_REDIS:
        for part in period.parts:
            ZsetSync(redis.resync_client()).unlink(part)
    elif period.board.storage == Storage.DYNAMODB:
        DynamoWriter().delete_period(period)
    return Period.objects.filter(pk=period.pk, state=PeriodState.FINAL).update(state=PeriodState.EXPIRED)


def drop_submissions(at: datetime) -> int:
    """Delete the submissions of periods that were closed ``keep_submissions_days`` ago; returns how many.

    Errors are raised together at the end.
    """
    return sum(for_each(Board.objects.exclude(storage=Storage.REDIS), lambda board: _drop_submissions_of(board, at)))


def _drop_submissions_of(board: Board, at: datetime) -> int:
    before = at - timedelta(days=board.keep_submissions_days)
    return _delete(Submission.objects.filter(period__board=board, period__closed_at__lt=before))


def drop_records(at: datetime) -> int:
    """Delete resolved dead letters, differences, link codes and decided quarantine entries that are old; how many.

    A dropped dead letter stays until its period is final, since closing needs it.
    """
    before = at - timedelta(days=sunwi_settings.KEEP_RECORDS_DAYS)
    active = Period.objects.filter(board__storage=Storage.REDIS, state__in=ACTIVE_STATES)
    active_ids = list(active.values_list("pk", flat=True))
    still_needed = DeadLetter.objects.filter(resolution=DROPPED, payload__period__in=active_ids)
    return (
        _delete(DeadLetter.objects.filter(resolved_at__lt=before).exclude(pk__in=still_needed.values("pk")))
        + _delete(Difference.objects.filter(found_at__lt=before))
        + _delete(QuarantinedEntry.objects.filter(decided_at__lt=before).exclude(decision=""))
        + _delete(LinkCode.objects.filter(expires_at__lt=before))
    )


def drop_name_changes(at: datetime) -> int:
    """Delete changes of names that every process knows by now; returns how many."""
    return _delete(NameChange.objects.filter(at__lt=at - KEEP_NAME_CHANGES))


def thin_snapshots(at: datetime) -> int:
    """Delete rank snapshots: all of expired periods, all but a day's first after two days, all after 400 days.

    Days are those of the board's time zone and cut-off, for points by day. Returns how many.
    """
    old = PeriodSnapshot.objects.filter(due_at__lt=at - EACH_SNAPSHOT_FOR).exclude(period__state=PeriodState.EXPIRED)
    too_old = Q(due_at__lt=at - DAILY_SNAPSHOTS_FOR) | Q(period__state=PeriodState.EXPIRED)
    with long_transaction():
        keys = set(PeriodSnapshot.objects.filter(too_old).values_list("pk", flat=True)) | set(_not_first_of_day(old))
    for pk in keys:  # each may have ten thousand rows
        PeriodSnapshot.objects.filter(pk=pk).delete()
    return len(keys)


def _not_first_of_day(snapshots: QuerySet[PeriodSnapshot]) -> Iterator[int]:
    """Yield the keys of all snapshots but the first of each day of their board."""
    rows = snapshots.order_by("period", "due_at").values_list(
        "pk", "period", "due_at", "period__board__timezone", "period__board__cutoff"
    )
    previous = None
    for pk, period, due_at, timezone, cutoff in rows.iterator(chunk_size=BATCH):
        hours, minutes = (int(part) for part in cutoff.split(":"))
        since_cutoff = due_at.astimezone(ZoneInfo(timezone)) - timedelta(hours=hours, minutes=minutes)
        day = period, since_cutoff.date()
        if day == previous:
            yield pk
        previous = day


def _delete(rows: QuerySet[Any]) -> int:
    """Delete rows in batches, each in its own transaction; returns how many. Finding a batch may take long."""
    deleted = 0
    while True:
        with long_transaction():
            batch = list(rows.values_list("pk", flat=True)[:BATCH])
            if not batch:
                return deleted
            deleted += rows.model._default_manager.filter(pk__in=batch).delete()[0]


def compact_submissions(at: datetime) -> int:
    """Compact old submissions of all-time boards; returns how many. Errors are raised together at the end."""
    boards = Board.objects.filter(period=PeriodKind.ALL_TIME).exclude(storage=Storage.REDIS)
    return sum(for_each(boards, lambda board: _compact_board(board, at)))


def _compact_board(board: Board, at: datetime) -> int:
    compacted, before = 0, at - timedelta(days=board.keep_submissions_days)
    for period in Period.objects.filter(board=board):
        old = Submission.objects.filter(period=period, created_at__lt=before).exclude(service=BASELINE)
        players = old.order_by("player_id").values_list("player_id", flat=True).distinct()
        while batch := _fetch_slowly(players[:BATCH]):
            compacted += sum(_compact_player(period, player_id, before) for player_id in batch)
    return compacted


def _fetch_slowly(players: QuerySet[Any, int]) -> list[int]:
    with long_transaction():
        return list(players)


@transaction.atomic
def _compact_player(period: Period, player_id: int, before: datetime) -> int:
    """Replace a player's old submissions by one baseline, in the row of the first of them; returns how many."""
    barrier.hold_shared(period.pk)
    list(Standing.objects.select_for_update().filter(period=period, player=player_id))
    rows = list(Submission.objects.filter(period=period, player=player_id, created_at__lt=before).order_by("pk"))
    if not rows:
        return 0  # another run has compacted them
    state = replay(period.rules, (submission_state(row) for row in rows if row.voided_at is None))
    first = Submission.objects.filter(pk=rows[0].pk)
    for model in (PurgedSubmission, SubmissionEdit):  # these are about a single submission, not a baseline
        model.objects.filter(submission=rows[0].pk).delete()
    Submission.objects.filter(pk__in=[row.pk for row in rows[1:]]).delete()
    if state is None:
        first.delete()
        return len(rows)
    value: dict[str, Any] = {"fields": list(state.value)} if period.rules.criteria else {"points": state.value[0]}
    at = from_milliseconds(state.at_ms)
    value |= {"at": at, "sent_at": None, "voided_at": None, "operator": None, "metadata": state.metadata}
    first.update(service=BASELINE, external_id=None, freed_id=None, **value)
    return len(rows)
