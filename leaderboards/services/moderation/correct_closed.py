"""Correcting a competition's closed period for its jury: voiding, restoring, or accepting a late score.

One transaction behind the exclusive barrier writes the submission, the standing, all final standings, their count and
their hash; the period stays closed. Redis is not touched: closed periods are read from SQL. The trap: calendar periods
are never corrected, their ranks are final.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction

from foundation.db.pipeline import StatementRunner
from foundation.db.resilience import long_transaction
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.sync import barrier
from leaderboards.core.periods import event_number
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.core.ranking.rules import Operator
from leaderboards.errors import Banned, PeriodClosed, PeriodOpen, SubmissionsDropped
from leaderboards.models import OVER_STATES, FinalStanding, Period, Storage, Submission
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.moderation.unvoid import restore_voided
from leaderboards.services.moderation.void import remaining_state, standing_row
from leaderboards.services.submit.request_periods import quantized_time
from leaderboards.stores.sql.final import content_hash, write_final_standings
from leaderboards.stores.sql.locks import lock_standings
from leaderboards.stores.sql.writes import (
    StandingRow,
    SubmissionBatch,
    SubmissionRow,
    insert_submissions,
    make_standings,
    write_standings,
)


class LateEntry(NamedTuple):
    """A late score to accept: the player's id, the value scaled by the board's rules, and when it happened.

    ``operator`` is None for the board's policy, ``metadata`` is JSON as text.
    """

    player: str
    value: tuple[int, ...]
    happened_at: datetime
    operator: Operator | None = None
    metadata: str | None = None


def may_be_dropped(period: Period, at: datetime) -> bool:
    """Whether retention may have deleted submissions of the period, so that the rest is incomplete."""
    retention = timedelta(days=period.board.keep_submissions_days)
    return period.closed_at is not None and period.closed_at + retention <= at


@transaction.atomic
def void_in_closed(submission: Submission, at: datetime) -> bool:
    """Void a submission of a closed event; False if it was voided before.

    Raises ``PeriodOpen``, ``PeriodClosed`` (a calendar's), or ``SubmissionsDropped``.
    """
    period = _lock_closed_period(submission.period_id)
    if not Submission.objects.filter(pk=submission.pk).exists():
        raise _dropped(period)
    _refuse_dropped(period, at)
    player = submission.player
    locked = lock_standings(period, [player.external_id])[player.external_id]
    if not Submission.objects.filter(pk=submission.pk, voided_at=None).update(voided_at=at):
        return False
    state = remaining_state(period, player)
    if locked.state not in (None, state):  # a player who was removed stays out of the ranking
        _write(period, standing_row(period, player.external_id, locked, state))
    failpoint("correct.before_commit")
    return True


@transaction.atomic
def unvoid_in_closed(number: int, player: int, submissions: Collection[int], at: datetime) -> int:
    """Restore voided submissions of a player in the closed event of this number; how many were void.

    ``player`` and ``submissions`` are internal numbers. Without submissions the standing is still recomputed. Raises as
    ``void_in_closed``, and ``UnknownPlayer`` if the player was erased.
    """
    period = _lock_closed_period(number)
    _refuse_dropped(period, at)
    restored, row = restore_voided(period, player, submissions)
    if row is not None:
        _write(period, row)
    failpoint("correct.before_commit")
    return restored


@transaction.atomic
def add_to_closed(known: Period, late: LateEntry, service: str, at: datetime) -> bool:
    """Accept a late score in a closed event, as if it had come in time; whether the standing has changed.

    The submission is stored as one of ``service``, if the board keeps submissions. Raises ``PeriodOpen``,
    ``PeriodClosed``, ``Banned``, or ``OutOfRange`` if the standing would leave the board's limits.
    """
    period = _lock_closed_period(known.pk)
    at_ms = quantized_time(period.layout, late.happened_at)
    make_standings(period, [late.player])
    locked = lock_standings(period, [late.player])[late.player]
    if locked.banned:
        raise Banned(Message("This player may not score."))
    state = evaluate(period.rules, locked.state, StandingState(late.value, at_ms, late.metadata, late.operator))
    if period.board.storage != Storage.REDIS:
        row = SubmissionRow(locked.player_id, late.value, at_ms, late.happened_at, None, late.operator, late.metadata)
        insert_submissions(
            StatementRunner(), SubmissionBatch(period, event_number(period.label) or 0, service, at), [row]
        )
    if changed := state != locked.state:
        _write(period, standing_row(period, late.player, locked, state))
    failpoint("correct.before_commit")
    return changed


def _refuse_dropped(period: Period, at: datetime) -> None:
    if may_be_dropped(period, at):
        raise _dropped(period)


def _dropped(period: Period) -> SubmissionsDropped:
    return SubmissionsDropped(
        Message(
            "Submissions are kept %(days)s days after the closing and may be gone: none of them can be "
            "voided or restored any more.",
            days=period.board.keep_submissions_days,
        )
    )


def _lock_closed_period(number: int) -> Period:
    """The closed period of an event, locked exclusively until the transaction ends."""
    barrier.hold_exclusive(number)
    period = Period.objects.select_related("board").get(pk=number)
    if event_number(period.label) is None:
        raise PeriodClosed(Message("Period %(period)s is closed; its standings stay as they are.", period=period.label))
    if period.state not in OVER_STATES:
        raise PeriodOpen(Message("Period %(period)s is not closed yet; try again when it is.", period=period.label))
    return period


def _write(period: Period, row: StandingRow) -> None:
    """The standing, and with it every place."""
    write_standings(StatementRunner(), period, [row])
    failpoint("correct.after_standing")
    with long_transaction():
        FinalStanding.objects.filter(period=period).delete()
    period.players = write_final_standings(period)
    period.content_hash = content_hash(period)
    period.save(update_fields=["players", "content_hash"])
    transaction.on_commit(clear_period_cache)
    transaction.on_commit(clear_hidden_cache)
