"""Join and leave a competition. The competition's row is locked, so the limit of participants is exact.

Leaving first marks the participant and then removes the standing from the ranking. If the removal fails,
``services/participants/remove_withdrawn.py`` repeats it; a player who joins again before that is removed on joining.
"""

from datetime import datetime

from django.db import transaction

from competitions.errors import (
    AlreadyJoined,
    CompetitionFull,
    CompetitionOver,
    Disqualified,
    JoiningOver,
    NotAParticipant,
    NotInvited,
    NotOpenYet,
    WrongCode,
)
from competitions.models import Competition, Joining, Participant
from competitions.selectors.competitions import places_taken
from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.lifecycle.freeze import freeze_if_due, is_due
from competitions.services.locks import lock_competition
from competitions.services.participants.codes import same_code
from competitions.services.participants.remove_withdrawn import remove_just_withdrawn
from competitions.services.participants.teams import (
    TeamChoice,
    give_up_team,
    is_code_attempt,
    team_and_division_on_joining,
)
from competitions.services.participants.withdrawn import remove_withdrawn_one
from foundation.messages import Message
from foundation.throttling.rate_limit import throttle
from leaderboards.errors import Banned
from leaderboards.models import Player
from leaderboards.selectors.visibility.restrictions import banned_from
from leaderboards.services.players.profiles import lock_player

NO_CHOICE = TeamChoice()


def join(
    competition: Competition, player: Player, at: datetime, code: str = "", choice: TeamChoice = NO_CHOICE
) -> Participant:
    """Let ``player`` take part, in the team and division of their choice. A player who had left joins again.

    Each refusal has its own error class and changes nothing. Attempts with a code are rate-limited (``RateLimited``),
    because codes are short. Raises ``Unavailable`` if a former standing cannot be removed now because the board's
    storage is away.
    """
    if competition.joining == Joining.CODE or choice.found or is_code_attempt(competition, choice):
        throttle("join", player.pk)
    if is_due(competition, at) and Participant.objects.filter(competition=competition, player=player).exists():
        freeze_if_due(competition, at)  # joining may remove a former standing: the copy comes first
    participant = _join(competition, player, at, code, choice)
    clear_group_standings(competition)
    return participant


@transaction.atomic
def _join(competition: Competition, player: Player, at: datetime, code: str, choice: TeamChoice) -> Participant:
    locked = lock_competition(competition)
    _refuse_by_time(locked, at)
    player = lock_player(player)
    rows = Participant.objects.select_for_update(of=("self",)).select_related("team", "division")
    former = rows.filter(competition=locked, player=player).first()
    _refuse_by_record(competition, player, former)
    _refuse_uninvited(locked, player, code)
    if locked.most_participants is not None and places_taken(locked) >= locked.most_participants:
        raise CompetitionFull(Message("All %(places)s places are taken.", places=locked.most_participants))
    team, division = team_and_division_on_joining(locked, player, choice, former, at)
    if former is None:
        return Participant.objects.create(competition=locked, player=player, joined_at=at, team=team, division=division)
    remove_withdrawn_one(former, at)
    former.joined_at, former.left_at, former.reason, former.team, former.division = at, None, "", team, division
    former.save(update_fields=["joined_at", "left_at", "reason", "team", "division"])
    return former


def leave(competition: Competition, player: Player, at: datetime) -> None:
    """Withdraw ``player`` and remove their standing. Raises ``NotAParticipant`` or ``CompetitionOver``.

    Before the start they also lose their place in a team; afterwards the row keeps the team, in case they return.
    """
    with transaction.atomic():
        locked = lock_competition(competition)
        if locked.cancelled_at is not None or locked.ends_at <= at:
            raise CompetitionOver(Message("The competition is over; its record stays."))
        rows = Participant.objects.select_for_update(of=("self",)).select_related("team")
        participant = rows.filter(competition=locked, player=player).first()
        if participant is None or not participant.takes_part:
            raise NotAParticipant(
                Message("%(player)s does not take part in this competition.", player=player.external_id)
            )
        participant.left_at = at
        participant.save(update_fields=["left_at"])
        give_up_team(locked, participant, at)
    remove_just_withdrawn(participant, at)
    clear_group_standings(competition)


def _refuse_by_time(competition: Competition, at: datetime) -> None:
    if competition.cancelled_at is not None:
        raise CompetitionOver(Message("The competition was cancelled."))
    if competition.published_at is None:
        raise NotOpenYet(Message("The competition is not open for joining yet."))
    if competition.ends_at <= at:
        raise CompetitionOver(Message("The competition has ended."))
    if competition.join_until is not None and competition.join_until <= at:
        raise JoiningOver(
            Message("Joining was possible until %(until)s UTC.", until=f"{competition.join_until:%Y-%m-%d %H:%M}")
        )


def _refuse_by_record(competition: Competition, player: Player, former: Participant | None) -> None:
    if Player.objects.filter(banned_from(competition.board_id, ""), pk=player.pk).exists():
        raise Banned(Message("This player may not take part."))
    if former is not None and former.disqualified_at is not None:
        raise Disqualified(Message("This player was disqualified and cannot join again."))
    if former is not None and former.takes_part:
        raise AlreadyJoined(Message("This player takes part already."))


def _refuse_uninvited(competition: Competition, player: Player, code: str) -> None:
    if competition.joining == Joining.CODE and not same_code(competition.join_code, code):
        raise WrongCode(Message("This code does not open the competition."))
    invited = competition.invitations.filter(external_id=player.external_id)
    if competition.joining == Joining.LIST and not invited.exists():
        raise NotInvited(Message("This player is not on the competition's list."))
