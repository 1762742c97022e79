"""Voiding one submission: the player's standing is recomputed from their other submissions.

It is always possible in an open period, even if the rest of a sum leaves the board's limits: the sum then stops at the
limit (``core/ranking/policies.replay``), and the other submissions stay accepted. In a competition it is an action in
its log, possible after closing too, and done by the competitions app (``services/events.py``).
"""

from collections.abc import Mapping
from datetime import datetime
from operator import attrgetter

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.db.pipeline import pipelined
from foundation.messages import Message
from foundation.sync import barrier
from leaderboards.core.ranking.policies import StandingState
from leaderboards.errors import PeriodClosed
from leaderboards.models import Period, PeriodState, Player, Submission
from leaderboards.selectors.catalog.reserved import refuse_reserved
from leaderboards.selectors.moderation.replay import replayed_states
from leaderboards.services import events
from leaderboards.services.sync.publish import write_and_publish
from leaderboards.stores.sql.locks import LockedStanding, lock_standings
from leaderboards.stores.sql.writes import StandingRow


def void_by_hand(submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    """Void a submission by a moderator's decision, in a competition through the port; False if it was void before.

    Raises as the port, or as ``void_submission``.
    """
    if submission.competition:
        return events.source().void(submission, reason, at, by)
    with transaction.atomic():
        is_done = void_submission(submission, at)
        if is_done:
            record("score.voided", at=at, by=by, reason=reason, subjects=subjects_of(submission))
    return is_done


@transaction.atomic
def void_submission(submission: Submission, at: datetime) -> bool:
    """Void a submission and recompute the standing.

    False, with nothing changed, if it was void before or retention has compacted it since it was read. Raises
    ``PeriodClosed`` or ``BoardReserved``.
    """
    period = lock_open_period(submission.period_id)
    player = submission.player
    locked = lock_standings(period, [player.external_id])
    as_read = Submission.objects.filter(pk=submission.pk, service=submission.service, voided_at=None)
    is_done = as_read.update(voided_at=at) > 0
    recompute_standings(period, locked, at)
    return is_done


def lock_open_period(number: int) -> Period:
    """The open period of this number; it cannot be closed until the transaction ends.

    Raises ``PeriodClosed``, or ``BoardReserved`` if only an app above may write its standings.
    """
    barrier.hold_shared(number)
    period = Period.objects.select_related("board").get(pk=number)
    if period.state != PeriodState.OPEN:
        raise PeriodClosed(Message("Period %(period)s is closed; its standings stay as they are.", period=period.label))
    refuse_reserved(period.board)
    return period


def recompute_standings(period: Period, locked: Mapping[str, LockedStanding], at: datetime) -> int:
    """Recompute locked standings from the players' valid submissions; how many have changed.

    Call it as the last step of the transaction that holds the locks.
    """
    players = [each.player_id for each in locked.values()]
    states = replayed_states(period, Submission.objects.filter(period=period, player__in=players, voided_at=None))
    rows = [
        standing_row(period, name, each, states.get(each.player_id))
        for name, each in locked.items()
        if states.get(each.player_id) != each.state
    ]
    if rows:
        with pipelined() as statements:
            write_and_publish(statements, period, sorted(rows, key=attrgetter("player_id")), at)
    return len(rows)


def remaining_state(period: Period, player: Player) -> StandingState | None:
    """The standing that the player's valid submissions make; None without any."""
    left = Submission.objects.filter(period=period, player=player, voided_at=None)
    return replayed_states(period, left).get(player.pk)


def standing_row(period: Period, player: str, locked: LockedStanding, state: StandingState | None) -> StandingRow:
    """The row to write over ``locked``; without a state the player is not ranked."""
    row = StandingRow(locked.player_id, player, player, None, None, locked.version + 1)
    if state is None:
        return row
    packed = period.layout.pack(state.value, state.at_ms, player, locked.player_id)
    return row._replace(member=packed.member, state=state, score=packed.score)
