"""The teams and divisions of a competition, which of them may be chosen, and the members of a team."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Q

from competitions.errors import UnknownDivision, UnknownTeam
from competitions.models import Competition, Division, Participant, Team, TeamEntry
from competitions.selectors.competitions import LARGEST_NUMBER
from foundation.messages import Message
from leaderboards.selectors import Row
from leaderboards.selectors.visibility.restrictions import visible_q

MOST_OFFERED = 200  # in a select; organizers can move a participant to any other team


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a team; ``row`` is None without a score; ``counts`` if it is part of the team's value."""

    player: str
    name: str
    row: Row | None
    counts: bool


def divisions_of(competition: Competition) -> list[Division]:
    """Return the divisions in the order of display."""
    return list(competition.divisions.all())


def division_by_id(competition: Competition, number: int) -> Division:
    """Return a division of the competition. Raises ``UnknownDivision``."""
    division = competition.divisions.filter(pk=number).first() if 0 < number <= LARGEST_NUMBER else None
    if division is None:
        raise UnknownDivision(Message("There is no division %(number)s in this competition.", number=number))
    return division


def team_by_id(competition: Competition, number: int) -> Team:
    """Return a team of the competition. Raises ``UnknownTeam``."""
    team = competition.teams.filter(pk=number).first() if 0 < number <= LARGEST_NUMBER else None
    if team is None:
        raise UnknownTeam(Message("There is no team %(number)s in this competition.", number=number))
    return team


def places_taken(team: Team) -> int:
    """Count the taken places of a team: disqualified and banned players keep theirs, since they may come back."""
    return team.participants.filter(left_at=None).count()


def disqualified_teams(competition: Competition, teams: Collection[int]) -> set[int]:
    """Return those of the teams (numbers) that have no participants left because of disqualifications."""
    members = competition.participants.filter(team__in=teams, left_at=None).order_by()
    remaining = members.filter(Participant.TAKING_PART, visible_q("competition__board")).values_list("team", flat=True)
    with_disqualified = members.filter(disqualified_at__isnull=False).values_list("team", flat=True)
    return set(with_disqualified) - set(remaining)


def teams_open(competition: Competition) -> list[tuple[Team, int]]:
    """Return up to ``MOST_OFFERED`` teams with a free place, by name, each with the number of members."""
    taken = Count("participants", filter=Q(participants__left_at=None))
    rows = competition.teams.annotate(taken=taken)
    if competition.team_size is not None:
        rows = rows.filter(taken__lt=competition.team_size)
    return [(team, team.taken) for team in rows[:MOST_OFFERED]]


def is_code_needed(competition: Competition, own: Team | None) -> bool:
    """Whether any team other than ``own`` needs a code."""
    if competition.team_entry != TeamEntry.CODE:
        return False
    others = competition.teams.exclude(code="")
    return (others if own is None else others.exclude(pk=own.pk)).exists()


def members_of(team: Team, scored: Collection[Row], counted: int) -> list[Member]:
    """Return members with a score, best first, of whom ``counted`` count; then members without one, by name."""
    members = [Member(row.player, row.name, row, index < counted) for index, row in enumerate(scored)]
    known = {each.player for each in members}
    rows = team.participants.filter(Participant.TAKING_PART, visible_q("competition__board")).select_related("player")
    waiting = (each.player for each in rows if each.player.external_id not in known)
    without = [Member(each.external_id, each.name or each.external_id, None, False) for each in waiting]
    return members + sorted(without, key=lambda each: (each.name, each.player))
