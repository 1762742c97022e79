"""Teams and divisions: founding a team, choosing one, moving somebody. The competition's row is held throughout, so
that a team's places are exact, however many want them.

Until the start members come and go as they like. From the start on only those who run the competition move somebody,
with a reason that stays on record; who joins later chooses while joining. Once the result is final a move makes its
next revision, and no team or division is made, renamed or deleted any more.
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
from foundation.throttling.rate_limit import throttle
from leaderboards.models import Player


@dataclass(frozen=True, slots=True)
class TeamChoice:
    """What somebody chooses: a team and a division by their numbers, or a team to found by its name; ``code`` is the
    team's, where it needs one. A code without a team chooses the one that it opens."""

    team: int | None = None
    found: str = ""
    division: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class MoveTarget:
    """Where somebody is moved to; None is no team, or no division."""

    team: int | None
    division: int | None


def make_team(competition: Competition, name: str, at: datetime) -> Team:
    """A team that nobody is in yet, made by those who run the competition.

    Raises ``NoTeams``, ``CompetitionOver``, ``BadName`` or ``NameTaken``.
    """
    with transaction.atomic():
        locked = lock_competition(competition)
        refuse_over_by(locked, at)
        team = _found(locked, name, None)
    clear_group_standings(competition)
    return team


def refuse_final(competition: Competition) -> None:
    """Raise ``GroupsFinal`` where the published result names the teams and divisions as they are.

    Call it in the transaction that makes, renames or deletes one: it holds the competition's row.
    """
    if lock_competition(competition).final_at is not None:
        raise GroupsFinal("The result is final: its teams and divisions stay as they were published.")


def choose_team(competition: Competition, player: Player, wish: TeamChoice, at: datetime) -> Participant:
    """Let a participant change teams before the start; a wish for none leaves the one they are in.

    Raises ``NotAParticipant``, ``CompetitionOver``, ``TeamsFixed``, ``WrongTeamCode``, ``RateLimited`` and what
    ``team_with_place`` does.
    """
    if wish.found or is_code_attempt(competition, wish):
        throttle("join", player.pk)
    with transaction.atomic():
        locked = lock_competition(competition)
        participant = lock_known_participant(locked, player)
        if not participant.takes_part:
            raise NotAParticipant(f"{player.external_id} does not take part in this competition.")
        refuse_over_by(locked, at)
        _refuse_started(locked, at)
        before = participant.team
        participant.team = _let_in(locked, player, _named_by_code(locked, wish), before)
        participant.save(update_fields=["team"])
        if before is not None and before != participant.team:
            drop_if_empty(before)
    clear_group_standings(competition)
    return participant


def move_participant(
    who: Participant, goal: MoveTarget, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Participant:
    """Put a participant into a team and a division, whenever it is; what stays the same writes nothing. A final result
    is published anew with it, for the same reason.

    Raises ``BadCompetition`` without a reason, ``NotAParticipant``, ``UnknownTeam``, ``UnknownDivision``, ``NoTeams``
    or ``TeamFull``.
    """
    reason, player = clean_reason(reason), who.player
    with transaction.atomic():
        locked = lock_competition(who.competition)
        participant = lock_known_participant(locked, player)
        if participant.left_at is not None:
            raise NotAParticipant(f"{player.external_id} does not take part any more.")
        before = participant.team, participant.division
        participant.team = team_with_place(locked, player, TeamChoice(team=goal.team), before[0])
        participant.division = None if goal.division is None else division_by_id(locked, goal.division)
        if before == (participant.team, participant.division):
            return participant
        participant.save(update_fields=["team", "division"])
        moved = _moved(before, participant)
        revise_if_final(
            locked, at, record_change(locked, ChangeKind.MOVED, at, by, reason, player=player.external_id, **moved)
        )
        failpoint("move.before_commit")
    clear_group_standings(who.competition)
    return participant


def team_with_place(locked: Competition, player: Player, wish: TeamChoice, before: Team | None) -> Team | None:
    """The team of a wish, with a place for one more. ``locked`` is locked; who is in the team already has a place.

    Raises ``NoTeams``, ``UnknownTeam``, ``TeamFull``, ``FoundingClosed``, ``BadName`` or ``NameTaken``.
    """
    if wish.found:
        if locked.has_teams and not locked.team_founding:
            raise FoundingClosed("Players do not found teams here: choose one of those there are.")
        return _found(locked, wish.found, player)
    if wish.team is None:
        return None
    _refuse_without_teams(locked)
    team = team_by_id(locked, wish.team)
    if team != before and locked.team_size is not None and places_taken(team) >= locked.team_size:
        raise TeamFull(f"All {locked.team_size} places of this team are taken.")
    return team


def team_and_division_on_joining(
    locked: Competition, player: Player, wish: TeamChoice, before: Participant | None, at: datetime
) -> tuple[Team | None, Division | None]:
    """Team and division of who joins. Who comes back has the division of before. Who left after the start has the team
    of before too, or none: without a place in it they choose no other, also the next time.

    Raises what ``team_with_place`` does, ``WrongTeamCode``, ``TeamsFixed`` or ``DivisionFixed`` where a return wants
    another,
    ``UnknownDivision``.
    """
    wish = _named_by_code(locked, wish)
    division = None if wish.division is None else division_by_id(locked, wish.division)
    former = before.division if before else None
    if former is not None and division not in (None, former):
        raise DivisionFixed("This player was in another division before: ask those who run the competition.")
    if before is None or before.left_at is None or before.left_at < locked.starts_at:
        return _let_in(locked, player, wish, None), division or former
    team = before.team
    if wish.found or wish.team not in (None, before.team_id):
        _refuse_started(locked, at)
    return None if team is None else former_team_with_place(locked, player, team, wish), division or former


def former_team_with_place(locked: Competition, player: Player, team: Team, wish: TeamChoice) -> Team | None:
    """The team of before, if it has a place; else none, or ``TeamFull`` where the wish asks for it."""
    try:
        return team_with_place(locked, player, TeamChoice(team=team.pk), None)
    except TeamFull:
        if wish.team is not None:
            raise
        return None


def is_code_attempt(competition: Competition, wish: TeamChoice) -> bool:
    """Whether a wish may be a try of a team's code; those are counted (``RateLimited``), since codes are short."""
    return competition.team_entry == TeamEntry.CODE and (wish.team is not None or wish.code.strip() != "")


def give_up_team(locked: Competition, participant: Participant, at: datetime) -> dict[str, Any]:
    """The place in a team of who goes before the start; an empty team that a player founded goes with it.

    From the start on the row remembers the team, for who comes back. Both rows are held. Returns what a record says of
    it, by which ``selectors/participants/bring_back.py`` finds the team; nothing where no place is given up.
    """
    team = participant.team
    if team is None or locked.starts_at <= at:
        return {}
    said = {TEAM_NUMBER: team.pk, "team_before": team.name, "team": ""}
    participant.team = None
    participant.save(update_fields=["team"])
    drop_if_empty(team)
    return said


def drop_if_empty(team: Team) -> None:
    """Delete a team that a player founded and that nobody is in any more. Its competition's row is held."""
    if team.founder_id is not None and not team.participants.exists():
        team.delete()


def lock_known_participant(locked: Competition, player: Player) -> Participant:
    """The row of who takes part or did, with team and division, held as the competition's is.

    Raises ``NotAParticipant``.
    """
    rows = Participant.objects.select_for_update(of=("self",)).select_related("team", "division")
    found = rows.filter(competition=locked, player=player).first()
    if found is None:
        raise NotAParticipant(f"{player.external_id} does not take part in this competition.")
    return found


def refuse_over_by(locked: Competition, at: datetime) -> None:
    """Raise ``CompetitionOver`` once it was cancelled or has ended."""
    if locked.cancelled_at is not None:
        raise CompetitionOver("The competition was cancelled.")
    if locked.ends_at <= at:
        raise CompetitionOver("The competition has ended.")


def _named_by_code(locked: Competition, wish: TeamChoice) -> TeamChoice:
    """The wish with the team that its code opens, where it names none. Raises ``WrongTeamCode`` where that is none."""
    if wish.team is not None or wish.found or not wish.code.strip() or locked.team_entry != TeamEntry.CODE:
        return wish
    codes = locked.teams.exclude(code="").values_list("pk", "code")
    team = next((number for number, code in codes if same_code(code, wish.code)), None)
    if team is None:
        raise WrongTeamCode("This code opens no team: ask the founder of yours for the present one.")
    return replace(wish, team=team)


def _let_in(locked: Competition, player: Player, wish: TeamChoice, before: Team | None) -> Team | None:
    """The team of a wish, if its door opens: a team with a code is entered with that, or by who founded it. Who is in
    it needs none, and a wrong one that they typed is refused all the same: they meant another team."""
    team = team_with_place(locked, player, wish, before)
    if team is None or locked.team_entry != TeamEntry.CODE:
        return team
    is_theirs = team == before or team.founder_id == player.pk
    if is_theirs and not wish.code.strip():
        return team
    if team.code and not same_code(team.code, wish.code):
        raise WrongTeamCode("This code does not open the team: ask its founder for the present one.")
    return team


def _found(locked: Competition, name: str, founder: Player | None) -> Team:
    _refuse_without_teams(locked)
    name = read_name(name)
    key = key_of(name)
    if locked.teams.filter(key=key).exists():
        raise NameTaken("A team has this name already: take another name, or that team.")
    code = "" if founder is None else new_code()
    return Team.objects.create(competition=locked, name=name, key=key, founder=founder, code=code)


def _refuse_without_teams(locked: Competition) -> None:
    if not locked.has_teams:
        raise NoTeams("This competition has no teams.")


def _refuse_started(locked: Competition, at: datetime) -> None:
    if locked.starts_at <= at:
        raise TeamsFixed("The competition has started: those who run it change who is in which team.")


def _moved(before: tuple[Team | None, Division | None], participant: Participant) -> dict[str, str]:
    """Names before and after of what has changed; empty is none."""
    after = participant.team, participant.division
    names = zip(("team", "division"), before, after, strict=True)
    changed = [(what, str(one or ""), str(other or "")) for what, one, other in names if one != other]
    return {key: text for what, one, other in changed for key, text in ((f"{what}_before", one), (what, other))}
