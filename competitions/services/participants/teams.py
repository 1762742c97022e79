"""Teams and divisions: found a team, choose one, move a participant. The competition's row is locked throughout, so a
team's size limit is exact.

Until the start, members change teams freely. After it, only the organizers move participants, with a recorded reason;
players who join later choose while joining. Once the result is final, a move makes the next revision, and no team or
division is added, renamed or deleted.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.core.names import key_of, read_name
from competitions.errors import (
    CompetitionOver,
    DivisionFixed,
    FoundingClosed,
    GroupsFinal,
    NameTaken,
    NotAParticipant,
    NoTeams,
    TeamFull,
    TeamsFixed,
    WrongTeamCode,
)
from competitions.models import ChangeKind, Competition, Division, Participant, Team, TeamEntry
from competitions.selectors.participants.bring_back import TEAM_NUMBER
from competitions.selectors.participants.teams import division_by_id, places_taken, team_by_id
from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.change_log import clean_reason, record_change
from competitions.services.lifecycle.confirm import revise_if_final
from competitions.services.locks import lock_competition
from competitions.services.participants.codes import new_code, same_code
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.throttling.rate_limit import throttle
from leaderboards.models import Player


@dataclass(frozen=True, slots=True)
class TeamChoice:
    """A player's choice: a team and a division by number, or a team to ``found`` by name.

    ``code`` is the team's code, if it needs one. A code without a team chooses the team with that code.
    """

    team: int | None = None
    found: str = ""
    division: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class MoveTarget:
    """The team and the division that a participant is moved to; None is no team, or no division."""

    team: int | None
    division: int | None


def make_team(competition: Competition, name: str, at: datetime) -> Team:
    """Create an empty team for the organizers.

    Raises ``NoTeams``, ``CompetitionOver``, ``BadName`` or ``NameTaken``.
    """
    with transaction.atomic():
        locked = lock_competition(competition)
        refuse_over_by(locked, at)
        team = _create_team(locked, name, None)
    clear_group_standings(competition)
    return team


def refuse_final(competition: Competition) -> None:
    """Raise ``GroupsFinal`` if a published result names the teams and divisions.

    Call it in the transaction that adds, renames or deletes one: it locks the competition's row.
    """
    if lock_competition(competition).final_at is not None:
        raise GroupsFinal(Message("The result is final: its teams and divisions stay as they were published."))


def choose_team(competition: Competition, player: Player, choice: TeamChoice, at: datetime) -> Participant:
    """Let a participant change teams before the start; a choice of no team leaves the present one.

    Raises ``NotAParticipant``, ``CompetitionOver``, ``TeamsFixed``, ``WrongTeamCode``, ``RateLimited`` and what
    ``team_with_place`` does.
    """
    if choice.found or is_code_attempt(competition, choice):
        throttle("join", player.pk)
    with transaction.atomic():
        locked = lock_competition(competition)
        participant = lock_known_participant(locked, player)
        if not participant.takes_part:
            raise NotAParticipant(
                Message("%(player)s does not take part in this competition.", player=player.external_id)
            )
        refuse_over_by(locked, at)
        _refuse_started(locked, at)
        former = participant.team
        participant.team = _enter_team(locked, player, _resolve_code(locked, choice), former)
        participant.save(update_fields=["team"])
        if former is not None and former != participant.team:
            drop_if_empty(former)
    clear_group_standings(competition)
    return participant


def move_participant(
    who: Participant, goal: MoveTarget, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Participant:
    """Move a participant to a team and a division, at any time. Nothing is written if both stay the same.

    On a final result it publishes the next revision, with the same reason. Raises ``BadCompetition`` without a reason,
    ``NotAParticipant``, ``UnknownTeam``, ``UnknownDivision``, ``NoTeams`` or ``TeamFull``.
    """
    reason, player = clean_reason(reason), who.player
    with transaction.atomic():
        locked = lock_competition(who.competition)
        participant = lock_known_participant(locked, player)
        if participant.left_at is not None:
            raise NotAParticipant(Message("%(player)s does not take part any more.", player=player.external_id))
        before = participant.team, participant.division
        participant.team = team_with_place(locked, player, TeamChoice(team=goal.team), before[0])
        participant.division = None if goal.division is None else division_by_id(locked, goal.division)
        if before == (participant.team, participant.division):
            return participant
        participant.save(update_fields=["team", "division"])
        names = _changed_names(before, participant)
        change = record_change(locked, ChangeKind.MOVED, at, by, reason, player=player.external_id, **names)
        revise_if_final(locked, at, change)
        failpoint("move.before_commit")
    clear_group_standings(who.competition)
    return participant


def team_with_place(locked: Competition, player: Player, choice: TeamChoice, before: Team | None) -> Team | None:
    """Return the chosen team if it has a free place; members of the team (``before``) have one already.

    The competition must be locked.
    Raises ``NoTeams``, ``UnknownTeam``, ``TeamFull``, ``FoundingClosed``, ``BadName`` or ``NameTaken``.
    """
    if choice.found:
        if locked.has_teams and not locked.team_founding:
            raise FoundingClosed(Message("Players do not found teams here: choose one of those there are."))
        return _create_team(locked, choice.found, player)
    if choice.team is None:
        return None
    _refuse_without_teams(locked)
    team = team_by_id(locked, choice.team)
    if team != before and locked.team_size is not None and places_taken(team) >= locked.team_size:
        raise TeamFull(Message("All %(places)s places of this team are taken.", places=locked.team_size))
    return team


def team_and_division_on_joining(
    locked: Competition, player: Player, choice: TeamChoice, before: Participant | None, at: datetime
) -> tuple[Team | None, Division | None]:
    """Return the team and division of a player who joins; ``before`` is their former row, if any.

    A returning player keeps the division. A player who left after the start also keeps the team, or gets none if it is
    full: they cannot choose another. Raises what ``team_with_place`` does, ``WrongTeamCode``, ``UnknownDivision``, and
    ``TeamsFixed`` or ``DivisionFixed`` if a returning player chooses another one.
    """
    choice = _resolve_code(locked, choice)
    division = None if choice.division is None else division_by_id(locked, choice.division)
    former = before.division if before else None
    if former is not None and division not in (None, former):
        raise DivisionFixed(Message("This player was in another division before: ask those who run the competition."))
    if before is None or before.left_at is None or before.left_at < locked.starts_at:
        return _enter_team(locked, player, choice, None), division or former
    team = before.team
    if choice.found or choice.team not in (None, before.team_id):
        _refuse_started(locked, at)
    return None if team is None else former_team_with_place(locked, player, team, choice), division or former


def former_team_with_place(locked: Competition, player: Player, team: Team, choice: TeamChoice) -> Team | None:
    """Return the former team if it has a place, else None; raises ``TeamFull`` if the player asks for that team."""
    try:
        return team_with_place(locked, player, TeamChoice(team=team.pk), None)
    except TeamFull:
        if choice.team is not None:
            raise
        return None


def is_code_attempt(competition: Competition, choice: TeamChoice) -> bool:
    """Whether the choice may be an attempt at a team's code. Attempts are rate-limited because codes are short."""
    return competition.team_entry == TeamEntry.CODE and (choice.team is not None or choice.code.strip() != "")


def give_up_team(locked: Competition, participant: Participant, at: datetime) -> dict[str, Any]:
    """Remove a leaving participant from their team before the start; delete the team if it is empty and player-founded.

    After the start the row keeps the team, in case the player returns. Both rows must be locked. Returns details for
    the change, by which ``selectors/participants/bring_back.py`` finds the team; empty if the team is kept.
    """
    team = participant.team
    if team is None or locked.starts_at <= at:
        return {}
    details = {TEAM_NUMBER: team.pk, "team_before": team.name, "team": ""}
    participant.team = None
    participant.save(update_fields=["team"])
    drop_if_empty(team)
    return details


def drop_if_empty(team: Team) -> None:
    """Delete a team that a player founded and that has no members. Its competition must be locked."""
    if team.founder_id is not None and not team.participants.exists():
        team.delete()


def lock_known_participant(locked: Competition, player: Player) -> Participant:
    """Lock a present or former participant, with team and division. The competition must be locked.

    Raises ``NotAParticipant``.
    """
    rows = Participant.objects.select_for_update(of=("self",)).select_related("team", "division")
    participant = rows.filter(competition=locked, player=player).first()
    if participant is None:
        raise NotAParticipant(Message("%(player)s does not take part in this competition.", player=player.external_id))
    return participant


def refuse_over_by(locked: Competition, at: datetime) -> None:
    """Raise ``CompetitionOver`` if it was cancelled or has ended."""
    if locked.cancelled_at is not None:
        raise CompetitionOver(Message("The competition was cancelled."))
    if locked.ends_at <= at:
        raise CompetitionOver(Message("The competition has ended."))


def _resolve_code(locked: Competition, choice: TeamChoice) -> TeamChoice:
    """Return the choice with the team of its code, if it names no team. Raises ``WrongTeamCode``."""
    if choice.team is not None or choice.found or not choice.code.strip() or locked.team_entry != TeamEntry.CODE:
        return choice
    codes = locked.teams.exclude(code="").values_list("pk", "code")
    team = next((number for number, code in codes if same_code(code, choice.code)), None)
    if team is None:
        raise WrongTeamCode(Message("This code opens no team: ask the founder of yours for the present one."))
    return replace(choice, team=team)


def _enter_team(locked: Competition, player: Player, choice: TeamChoice, before: Team | None) -> Team | None:
    """Return the chosen team if the player may enter it: with its code, as its founder, or as a member already.

    A wrong code is refused for founders and members too: they probably meant another team.
    """
    team = team_with_place(locked, player, choice, before)
    if team is None or locked.team_entry != TeamEntry.CODE:
        return team
    needs_no_code = team == before or team.founder_id == player.pk
    if needs_no_code and not choice.code.strip():
        return team
    if team.code and not same_code(team.code, choice.code):
        raise WrongTeamCode(Message("This code does not open the team: ask its founder for the present one."))
    return team


def _create_team(locked: Competition, name: str, founder: Player | None) -> Team:
    _refuse_without_teams(locked)
    name = read_name(name)
    key = key_of(name)
    if locked.teams.filter(key=key).exists():
        raise NameTaken(Message("A team has this name already: take another name, or that team."))
    code = "" if founder is None else new_code()
    return Team.objects.create(competition=locked, name=name, key=key, founder=founder, code=code)


def _refuse_without_teams(locked: Competition) -> None:
    if not locked.has_teams:
        raise NoTeams(Message("This competition has no teams."))


def _refuse_started(locked: Competition, at: datetime) -> None:
    if locked.starts_at <= at:
        raise TeamsFixed(Message("The competition has started: those who run it change who is in which team."))


def _changed_names(before: tuple[Team | None, Division | None], participant: Participant) -> dict[str, str]:
    """Return the old and new names of the team and division that changed; an empty name is none."""
    after = participant.team, participant.division
    names: dict[str, str] = {}
    for field, old, new in zip(("team", "division"), before, after, strict=True):
        if old != new:
            names |= {f"{field}_before": str(old or ""), field: str(new or "")}
    return names
