"""Retention: what may go, goes in small steps. Keys of periods long final, and submissions nobody can void any more.

On all-time boards, which never become final, old submissions fold into one baseline per player, so that a
standing is still what its submissions make it.
"""

from datetime import datetime, timedelta

from django.db import transaction

from foundation import redis
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.periods import PeriodKind
from leaderboards.core.policies import replay
from leaderboards.models import Board, Period, Standing, State, Storage, Submission
from leaderboards.stores import barrier
from leaderboards.stores.sql_writes import state_of
from leaderboards.stores.zset_settling import ZsetSettler

BATCH = 1000
BASELINE = "baseline"


def expire_due(at: datetime) -> int:
    """Unlink the keys of periods that have been final for their board's retention; returns how many expired.

    Raises what the link raises; the periods then wait.
    """
    expired = 0
    for period in Period.objects.filter(state=State.FINAL).select_related("board"):
        kept = timedelta(days=period.board.retention_days)
        if period.closed_at is None or period.closed_at + kept > at:
            continue
        if period.board.storage != Storage.SQL:
            ZsetSettler(redis.settling()).unlink(period)
        expired += Period.objects.filter(pk=period.pk, state=State.FINAL).update(state=State.EXPIRED)
    return expired


def drop_submissions(at: datetime) -> int:
    """Delete submissions of periods long final; returns how many."""
    dropped = 0
    for board in Board.objects.exclude(storage=Storage.REDIS):
        before = at - timedelta(days=board.keep_submissions_days)
        done = Submission.objects.filter(period__board=board, period__closed_at__lt=before)
        while batch := list(done.values_list("pk", flat=True)[:BATCH]):
            dropped += Submission.objects.filter(pk__in=batch).delete()[0]
    return dropped


def fold_submissions(at: datetime) -> int:
    """Fold old submissions of all-time boards; returns how many went into a baseline."""
    folded = 0
    for board in Board.objects.filter(period=PeriodKind.ALL_TIME).exclude(storage=Storage.REDIS):
        before = at - timedelta(days=board.keep_submissions_days)
        for period in Period.objects.filter(board=board):
            old = Submission.objects.filter(period=period, created_at__lt=before).exclude(service=BASELINE)
            while players := list(old.order_by("player_id").values_list("player_id", flat=True).distinct()[:BATCH]):
                folded += sum(_fold(period, player_id, before) for player_id in players)
    return folded


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
    Submission.objects.filter(pk__in=[row.pk for row in rows[1:]]).delete()
    if state is None:
        first.delete()
        return len(rows)
    worth = {"fields": list(state.value)} if period.rules.criteria else {"points": state.value[0]}
    at = from_milliseconds(state.at_ms)
    first.update(service=BASELINE, external_id=None, at=at, sent_at=None, voided_at=None, **worth)
    return len(rows)
