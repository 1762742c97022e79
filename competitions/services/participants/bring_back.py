"""Bringing back a participant who left, or was removed, by mistake: with the scores that they had when they went.

It is possible while the competition runs and after its closing; on a final result it makes the next revision. Scores
that the jury voided stay void, and anybody who is disqualified stays so, with the reason. The trap: boards that Redis
decides over keep no scores, so there somebody comes back without any, and the jury accepts theirs as late ones.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import CompetitionFull, CompetitionOver, NotAParticipant
from competitions.models import ChangeKind, Competition, Participant, Team
from competitions.selectors.competitions import places_taken
from competitions.selectors.participants.bring_back import scores_gone_with, team_before
from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.change_log import clean_reason, record_change
from competitions.services.lifecycle.confirm import revise_if_final
from competitions.services.lifecycle.freeze import freeze_if_due
from competitions.services.locks import get_or_open_period, lock_competition, lock_participant
from competitions.services.notices.notices import notify_player
from competitions.services.participants.teams import TeamChoice, former_team_with_place
from competitions.services.results.judge import refuse_while_closing
from foundation.failpoints import failpoint
from leaderboards.models import Period, Player, Storage
from leaderboards.services.moderation.correct_closed import unvoid_in_closed
from leaderboards.services.moderation.unvoid import unvoid_in_open
from leaderboards.services.players.profiles import refuse_erased


def bring_back(
    competition: Competition, player: Player, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Participant:
    """Let somebody who has gone take part as before, since when they had joined; who takes part is left as they are.

    Their team is the one of before, if it is there and has a place; who left by themselves before the start gave theirs
    up. Raises ``BadCompetition`` (the reason), ``NotAParticipant``
    (never joined), ``UnknownPlayer`` (erased), ``CompetitionOver`` (cancelled), ``CompetitionFull``, ``NotClosed``
    while it is being closed, ``SubmissionsDropped``, or ``Unavailable`` where the copy of a freeze cannot be made now.
    """
    reason = clean_reason(reason)
    freeze_if_due(competition, at)
    with transaction.atomic():
        locked = lock_competition(competition)
        participant = _gone(locked, player)
        if participant.left_at is None:
            return participant
        _refuse(locked, participant)
        period, left_at = get_or_open_period(locked), participant.left_at
        team = _team_of_before(locked, participant)
        participant.left_at, participant.team = None, team
        if participant.disqualified_at is None:
            participant.reason = ""  # else it is why they are disqualified
        participant.save(update_fields=["left_at", "reason", "team"])
        scores = _give_back(locked, period, participant, at)
        about = {"player": player.external_id, "left_at": left_at.isoformat(), **_still_out(participant), **scores}
        change = record_change(locked, ChangeKind.BROUGHT_BACK, at, by, reason, **about)
        notify_player(change, participant.player)
        revise_if_final(locked, at, change)
        failpoint("bring_back.before_commit")
    clear_group_standings(competition)
    return participant


def _gone(locked: Competition, player: Player) -> Participant:
    found = lock_participant(locked, player)
    if found is None:
        raise NotAParticipant(f"{player.external_id} does not take part in this competition.")
    return found


def _refuse(locked: Competition, participant: Participant) -> None:
    if locked.cancelled_at is not None:
        raise CompetitionOver("The competition was cancelled; its record stays.")
    refuse_erased(participant.player)
    if locked.most_participants is not None and places_taken(locked) >= locked.most_participants:
        raise CompetitionFull(f"All {locked.most_participants} places are taken.")


def _team_of_before(locked: Competition, participant: Participant) -> Team | None:
    """Their team of before, if it has a place."""
    team = team_before(locked, participant)
    return None if team is None else former_team_with_place(locked, participant.player, team, TeamChoice())


def _still_out(participant: Participant) -> dict[str, str]:
    """For the record and the notice: since when they are disqualified, which bringing back does not end."""
    since = participant.disqualified_at
    return {} if since is None else {"disqualified_at": since.isoformat()}


def _give_back(locked: Competition, period: Period, participant: Participant, at: datetime) -> dict[str, int]:
    """Restore what went with them, and derive their standing anew; how many scores that were, nothing on boards that
    keep none."""
    if period.board.storage == Storage.REDIS:
        return {}
    player, numbers = participant.player_id, scores_gone_with(participant, period)
    if locked.closed_at is not None:
        return {"scores": unvoid_in_closed(period.pk, player, numbers, at)}
    with refuse_while_closing():
        return {"scores": unvoid_in_open(period.pk, player, numbers, at)}
