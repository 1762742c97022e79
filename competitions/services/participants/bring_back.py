"""Bring back a participant who left or was removed by mistake, with the scores that they had.

It is possible during the competition and after its closing; on a final result it makes the next revision. Scores that
the jury voided stay void, and a disqualified participant stays disqualified. The trap: boards that Redis decides keep
no submissions, so there a participant comes back without scores, and the jury accepts them as late ones.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser

from competitions.errors import CompetitionFull, CompetitionOver, NotAParticipant
from competitions.models import ChangeKind, Competition, Participant, Team
from competitions.selectors.competitions import places_taken
from competitions.selectors.participants.bring_back import scores_gone_with, team_before
from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.change_log import clean_reason, record_change
from competitions.services.lifecycle.confirm import revise_if_final
from competitions.services.lifecycle.freeze import lock_after_freeze
from competitions.services.locks import get_or_open_period, lock_participant
from competitions.services.notices.notices import notify_player
from competitions.services.participants.teams import TeamChoice, former_team_with_place
from competitions.services.results.judge import refuse_while_closing
from foundation.failpoints import failpoint
from foundation.messages import Message
from leaderboards.models import Period, Player, Storage
from leaderboards.services.moderation.correct_closed import unvoid_in_closed
from leaderboards.services.moderation.unvoid import unvoid_in_open
from leaderboards.services.players.profiles import refuse_erased


def bring_back(
    competition: Competition, player: Player, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Participant:
    """Let a player who has left take part again, with the original time of joining. Idempotent.

    They return to their former team if it exists and has a place; players who left by themselves before the start gave
    it up. Raises ``BadCompetition`` (the reason), ``NotAParticipant`` (never joined), ``UnknownPlayer`` (erased),
    ``CompetitionOver`` (cancelled), ``CompetitionFull``, ``NotClosed`` while it is being closed,
    ``SubmissionsDropped``, or ``Unavailable`` if the frozen copy cannot be made now.
    """
    reason = clean_reason(reason)
    with lock_after_freeze(competition, at) as locked:
        participant = _lock_known(locked, player)
        if participant.left_at is None:
            return participant
        _refuse(locked, participant)
        period, left_at = get_or_open_period(locked), participant.left_at
        team = _former_team(locked, participant)
        participant.left_at, participant.team = None, team
        if participant.disqualified_at is None:
            participant.reason = ""  # otherwise it is the reason of the disqualification
        participant.save(update_fields=["left_at", "reason", "team"])
        scores = _restore_scores(locked, period, participant, at)
        disqualified = _disqualified_since(participant)
        details = {"player": player.external_id, "left_at": left_at.isoformat(), **disqualified, **scores}
        change = record_change(locked, ChangeKind.BROUGHT_BACK, at, by, reason, **details)
        notify_player(change, participant.player)
        revise_if_final(locked, at, change)
        failpoint("bring_back.before_commit")
    clear_group_standings(competition)
    return participant


def _lock_known(locked: Competition, player: Player) -> Participant:
    participant = lock_participant(locked, player)
    if participant is None:
        raise NotAParticipant(Message("%(player)s does not take part in this competition.", player=player.external_id))
    return participant


def _refuse(locked: Competition, participant: Participant) -> None:
    if locked.cancelled_at is not None:
        raise CompetitionOver(Message("The competition was cancelled; its record stays."))
    refuse_erased(participant.player)
    if locked.most_participants is not None and places_taken(locked) >= locked.most_participants:
        raise CompetitionFull(Message("All %(places)s places are taken.", places=locked.most_participants))


def _former_team(locked: Competition, participant: Participant) -> Team | None:
    """Return their former team if it has a place."""
    team = team_before(locked, participant)
    return None if team is None else former_team_with_place(locked, participant.player, team, TeamChoice())


def _disqualified_since(participant: Participant) -> dict[str, str]:
    """Return a detail for the record and the notice: bringing back does not end a disqualification."""
    since = participant.disqualified_at
    return {} if since is None else {"disqualified_at": since.isoformat()}


def _restore_scores(locked: Competition, period: Period, participant: Participant, at: datetime) -> dict[str, int]:
    """Restore the scores that were removed with them, and compute their standing; returns the number of scores as a
    detail, or nothing on boards that keep no submissions."""
    if period.board.storage == Storage.REDIS:
        return {}
    player, numbers = participant.player_id, scores_gone_with(participant, period)
    if locked.closed_at is not None:
        return {"scores": unvoid_in_closed(period.pk, player, numbers, at)}
    with refuse_while_closing():
        return {"scores": unvoid_in_open(period.pk, player, numbers, at)}
