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
from competitions.selectors.coming_back import scores_gone_with, team_before
from competitions.selectors.competitions import places_taken
from competitions.selectors.grouped import forget_grouped
from competitions.services.changes import note, reason_given
from competitions.services.confirm import revise_if_final
from competitions.services.freeze import freeze_if_due
from competitions.services.judge import closing_meanwhile
from competitions.services.locked import held_participant, locked, period_of
from competitions.services.notices import tell_player
from competitions.services.teams import Wish, place_kept
from foundation.failpoints import failpoint
from leaderboards.models import Period, Player, Storage
from leaderboards.services.correct import unvoid_in_closed
from leaderboards.services.players import refuse_erased
from leaderboards.services.unvoid import unvoid_in_open


def bring_back(
    competition: Competition, player: Player, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Participant:
    """Let somebody who has gone take part as before, since when they had joined; who takes part is left as they are.

    Their team is the one of before, if it is there and has a place; who left by themselves before the start gave theirs
    up. Raises ``BadCompetition`` (the reason), ``NotAParticipant``
    (never joined), ``UnknownPlayer`` (erased), ``CompetitionOver`` (cancelled), ``CompetitionFull``, ``NotClosed``
    while it is being closed, ``SubmissionsDropped``, or ``Unavailable`` where the copy of a freeze cannot be made now.
    """
    reason = reason_given(reason)
    freeze_if_due(competition, at)
    with transaction.atomic():
        held = locked(competition)
        participant = _gone(held, player)
        if participant.left_at is None:
            return participant
        _refuse(held, participant)
        period, left_at = period_of(held), participant.left_at
        team = _team_of_before(held, participant)
        participant.left_at, participant.team = None, team
        if participant.disqualified_at is None:
            participant.reason = ""  # else it is why they are disqualified
        participant.save(update_fields=["left_at", "reason", "team"])
        scores = _give_back(held, period, participant, at)
        about = {"player": player.external_id, "left_at": left_at.isoformat(), **_still_out(participant), **scores}
        change = note(held, ChangeKind.BROUGHT_BACK, at, by, reason, **about)
        tell_player(change, participant.player)
        revise_if_final(held, at, change)
        failpoint("bring_back.before_commit")
    forget_grouped(competition)
    return participant


def _gone(held: Competition, player: Player) -> Participant:
    found = held_participant(held, player)
    if found is None:
        raise NotAParticipant(f"{player.external_id} does not take part in this competition.")
    return found


def _refuse(held: Competition, participant: Participant) -> None:
    if held.cancelled_at is not None:
        raise CompetitionOver("The competition was cancelled; its record stays.")
    refuse_erased(participant.player)
    if held.most_participants is not None and places_taken(held) >= held.most_participants:
        raise CompetitionFull(f"All {held.most_participants} places are taken.")


def _team_of_before(held: Competition, participant: Participant) -> Team | None:
    """Their team of before, if it has a place."""
    team = team_before(held, participant)
    return None if team is None else place_kept(held, participant.player, team, Wish())


def _still_out(participant: Participant) -> dict[str, str]:
    """For the record and the notice: since when they are disqualified, which bringing back does not end."""
    since = participant.disqualified_at
    return {} if since is None else {"disqualified_at": since.isoformat()}


def _give_back(held: Competition, period: Period, participant: Participant, at: datetime) -> dict[str, int]:
    """Restore what went with them, and derive their standing anew; how many scores that were, nothing on boards that
    keep none."""
    if period.board.storage == Storage.REDIS:
        return {}
    player, numbers = participant.player_id, scores_gone_with(participant, period)
    if held.closed_at is not None:
        return {"scores": unvoid_in_closed(period.pk, player, numbers, at)}
    with closing_meanwhile():
        return {"scores": unvoid_in_open(period.pk, player, numbers, at)}
