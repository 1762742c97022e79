"""Voiding one submission: the player falls back to what their others amount to.

That is always possible in an open period: a cheat goes though what remains of a sum would leave the board's limits.
The sum then stops at the limit (``core/policies.replay``), and the others stay accepted. In a competition it is an act
on record, and possible after the closing too; the competitions do it (``services/events.py``).
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from foundation.audit import record
from foundation.audit.rows import about
from foundation.statements import one_behind_the_other
from foundation.sync import barrier
from leaderboards.core.policies import State, replay
from leaderboards.errors import PeriodClosed
from leaderboards.models import Period, Player, Submission
from leaderboards.models import State as PeriodState
from leaderboards.selectors.reserved import refuse_reserved
from leaderboards.services import events
from leaderboards.services.publish import write_and_publish
from leaderboards.stores.sql_locks import Held, lock_standings
from leaderboards.stores.sql_writes import StandingRow, state_of


def void_by_hand(submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    """Void what somebody has judged, in a competition through the port; False where that was done before.

    Raises what refuses it there or here.
    """
    if submission.competition:
        return events.source().void(submission, reason, at, by)
    with transaction.atomic():
        is_done = void_submission(submission, at)
        if is_done:
            record("score.voided", at=at, by=by, reason=reason, subjects=about(submission))
    return is_done


@transaction.atomic
def void_submission(submission: Submission, at: datetime) -> bool:
    """Void it and derive the standing anew; False if it was void before, which changes nothing.

    Raises ``PeriodClosed`` or ``BoardReserved``.
    """
    barrier.hold_shared(submission.period_id)
    period = Period.objects.select_related("board").get(pk=submission.period_id)
    if period.state != PeriodState.OPEN:
        raise PeriodClosed(f"Period {period.label} is closed; its standings stay as they are.")
    refuse_reserved(period.board)
    player = submission.player
    held = lock_standings(period, [player.external_id])[player.external_id]
    is_done = Submission.objects.filter(pk=submission.pk, voided_at=None).update(voided_at=at) > 0
    state = remaining(period, player)
    if state != held.state:
        with one_behind_the_other() as statements:
            write_and_publish(statements, period, [standing_row(period, player.external_id, held, state)], at)
    return is_done


def remaining(period: Period, player: Player) -> State | None:
    """What the player's submissions that are not voided amount to; None without any."""
    left = Submission.objects.filter(period=period, player=player, voided_at=None).order_by("pk")
    return replay(period.rules, (state_of(row.points, row.fields, row.at) for row in left))


def standing_row(period: Period, player: str, held: Held, state: State | None) -> StandingRow:
    """The standing to be written after ``held``; without a state the player is not ranked."""
    row = StandingRow(held.player_id, player, player, None, None, held.version + 1)
    if state is None:
        return row
    packed = period.layout.pack(state.value, state.at_ms, player)
    return row._replace(member=packed.member, state=state, score=packed.score)
