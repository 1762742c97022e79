"""Remove, disqualify and reinstate participants, with a reason.

A removed participant loses their scores; this is possible only before the closing. A disqualified participant keeps
them but is hidden, and the others move up, during the competition and after it; reinstating restores scores and place.
On a final result, disqualifying and reinstating make the next revision. A player who is erased between the request and
the action is unknown.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import CompetitionOver, NotAParticipant
from competitions.models import ChangeKind, Competition, Participant
from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.change_log import clean_reason, record_change
from competitions.services.lifecycle.confirm import revise_if_final
from competitions.services.lifecycle.freeze import lock_after_freeze
from competitions.services.locks import get_or_open_period, lock_competition, lock_participant
from competitions.services.notices.notices import notify_player
from competitions.services.participants.remove_withdrawn import remove_just_withdrawn
from competitions.services.participants.teams import give_up_team
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.sync import barrier
from leaderboards.models import OVER_STATES, Period, Player
from leaderboards.selectors.visibility.hidden import clear_hidden_cache


def remove(
    competition: Competition, player: Player, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Participant:
    """Remove a participant; they may join again. Before the start they also lose their place in the team, as on
    leaving; the change records which team, for ``bring_back``.

    Raises ``NotAParticipant``, ``UnknownPlayer``, ``CompetitionOver``, ``BadCompetition``.
    """
    reason = clean_reason(reason)
    with transaction.atomic():
        locked = lock_competition(competition)
        _refuse_closed(locked)
        participant = _lock_known(locked, player)
        if not participant.takes_part:
            raise NotAParticipant(Message("%(player)s does not take part any more.", player=player.external_id))
        participant.left_at, participant.reason = at, reason
        participant.save(update_fields=["left_at", "reason"])
        given_up = give_up_team(locked, participant, at)
        change = record_change(locked, ChangeKind.REMOVED, at, by, reason, player=player.external_id, **given_up)
        notify_player(change, participant.player)
    remove_just_withdrawn(participant, at)
    clear_group_standings(competition)
    return participant


def disqualify(
    competition: Competition, player: Player, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Participant:
    """Disqualify a participant: they are not shown any more. Idempotent.

    Raises ``NotAParticipant``, ``UnknownPlayer``, ``BadCompetition``, or ``Unavailable`` if the frozen copy cannot be
    made now.
    """
    reason = clean_reason(reason)
    with lock_after_freeze(competition, at) as locked:
        participant = _lock_known(locked, player)
        if participant.disqualified_at is not None:
            return participant
        participant.disqualified_at, participant.reason = at, reason
        participant.save(update_fields=["disqualified_at", "reason"])
        change = record_change(locked, ChangeKind.DISQUALIFIED, at, by, reason, player=player.external_id)
        notify_player(change, participant.player)
        revise_if_final(locked, at, change)
        failpoint("disqualify.before_commit")
    clear_hidden_cache()
    clear_group_standings(competition)
    return participant


def reinstate(
    competition: Competition, player: Player, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Participant:
    """Undo a disqualification. Idempotent. A player who has left stays away. Raises what ``disqualify`` does."""
    reason = clean_reason(reason)
    with lock_after_freeze(competition, at) as locked:
        participant = _lock_known(locked, player)
        if participant.disqualified_at is None:
            return participant
        participant.disqualified_at, participant.reason = None, ""
        participant.save(update_fields=["disqualified_at", "reason"])
        left = {} if participant.left_at is None else {"left_at": participant.left_at.isoformat()}
        change = record_change(locked, ChangeKind.REINSTATED, at, by, reason, player=player.external_id, **left)
        notify_player(change, participant.player)
        revise_if_final(locked, at, change)
    clear_hidden_cache()
    clear_group_standings(competition)
    return participant


def _refuse_closed(competition: Competition) -> None:
    """Refuse if the competition is closed. The barrier keeps it from closing until the caller's transaction ends."""
    if competition.cancelled_at is not None:
        raise CompetitionOver(Message("The competition was cancelled; its record stays."))
    period = get_or_open_period(competition)
    barrier.hold_shared(period.pk)
    if Period.objects.filter(pk=period.pk, state__in=OVER_STATES).exists():
        raise CompetitionOver(
            Message("The competition is closed: a participant can be disqualified, and the row stays.")
        )


def _lock_known(competition: Competition, player: Player) -> Participant:
    participant = lock_participant(competition, player)
    if participant is None:
        raise NotAParticipant(Message("%(player)s does not take part in this competition.", player=player.external_id))
    return participant
