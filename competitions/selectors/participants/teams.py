"""Which teams and divisions a competition has, what may be chosen, and who is in a team."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Q

from competitions.errors import UnknownDivision, UnknownTeam
from competitions.models import Competition, Division, Participant, Team, TeamEntry
from competitions.selectors.competitions import LARGEST_NUMBER
from leaderboards.selectors import Row
from leaderboards.selectors.visibility.restrictions import visible_q

MOST_OFFERED = 200  # in a select; who looks for another is moved by those who run the competition


@dataclass(frozen=True, slots=True)
class Member:
    """Who is in a team; ``row`` is None without a score, ``counts`` if it is part of the team's standing."""

    player: str
    name: str
    row: Row | None
    counts: bool


def divisions_of(competition: Competition) -> list[Division]:
    """In the order in which they are shown."""
    return list(competition.divisions.all())


def division_by_id(competition: Competition, number: int) -> Division:
    """One of them. Raises ``UnknownDivision``."""
    found = competition.divisions.filter(pk=number).first() if 0 < number <= LARGEST_NUMBER else None
    if found is None:
        raise UnknownDivision(f"There is no division {number} in this competition.")
    return found


def team_by_id(competition: Competition, number: int) -> Team:
    """One of the competition's teams. Raises ``UnknownTeam``."""
    found = competition.teams.filter(pk=number).first() if 0 < number <= LARGEST_NUMBER else None
    if found is None:
        raise UnknownTeam(f"There is no team {number} in this competition.")
    return found


def places_taken(team: Team) -> int:
    """How many places of a team are taken: the disqualified and the banned keep theirs, since they may come back."""
    return team.participants.filter(left_at=None).count()


def disqualified_teams(competition: Competition, teams: Collection[int]) -> set[int]:
    """Which of these teams (by number) have nobody left who takes part, because of disqualifications."""
    members = competition.participants.filter(team__in=teams, left_at=None).order_by()
    remaining = members.filter(Participant.TAKING_PART, visible_q("competition__board")).values_list("team", flat=True)
    out = members.filter(disqualified_at__isnull=False).values_list("team", flat=True)
    return set(out) - set(remaining)


def teams_open(competition: Competition) -> list[tuple[Team, int]]:
    """Up to ``MOST_OFFERED`` teams with a place free, by name, each with how many are in it."""
    taken = Count("participants", filter=Q(participants__left_at=None))
    rows = competition.teams.annotate(taken=taken)
    if competition.team_size is not None:
        rows = rows.filter(taken__lt=competition.team_size)
    return [(team, team.taken) for team in rows[:MOST_OFFERED]]


def is_code_needed(competition: Competition, own: Team | None) -> bool:
    """Whether any team but ``own`` is entered with a code."""
    if competition.team_entry != TeamEntry.CODE:
        return False
    others = competition.teams.exclude(code="")
    return (others if own is None else others.exclude(pk=own.pk)).exists()


def team_of_player(competition: Competition, player: str) -> Team | None:
    """The team of a player who takes part."""
    rows = competition.participants.filter(Participant.TAKING_PART, player__external_id=player)
    found = rows.select_related("team").first()
    return found.team if found else None


def members_of(team: Team, scored: Collection[Row], counted: int) -> list[Member]:
    """Those with a score, the best first, ``counted`` of whom count; then who takes part without one, by name."""
    members = [Member(row.player, row.name, row, index < counted) for index, row in enumerate(scored)]
    known = {each.player for each in members}
    rows = team.participants.filter(Participant.TAKING_PART, visible_q("competition__board")).select_related("player")
    waiting = (each.player for each in rows if each.player.external_id not in known)
    without = [Member(each.external_id, each.name or each.external_id, None, False) for each in waiting]
    return members + sorted(without, key=lambda each: (each.name, each.player))
