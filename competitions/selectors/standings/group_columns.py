"""Add teams and divisions to rows of players, in the published result and in the export of the standings.

Memberships are read for some thousand rows at a time, so neither is ever in memory as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from competitions.core.group_standings import DivisionRanks, TeamTallies
from competitions.models import Competition
from competitions.selectors.standings.group_standings import TeamRow, player_place, team_rows, team_rules
from foundation.http.encoding import when
from leaderboards.core.ranking.rules import Rules, Ties
from leaderboards.selectors import Row
from leaderboards.selectors.rankings.row_json import row_json


@dataclass(frozen=True, slots=True)
class Membership:
    """A player's present groups: the number and name of the team, and the name of the division."""

    team_id: int | None = None
    team: str | None = None
    division: str | None = None


_NO_GROUPS = Membership()


class Groups:
    """The kinds of groups of a competition, and the memberships of rows, with one query for each call."""

    def __init__(self, competition: Competition) -> None:
        self._competition = competition
        kinds = {"team": competition.has_teams, "division": competition.divisions.exists()}
        self.names = [name for name, is_used in kinds.items() if is_used]

    def memberships(self, rows: Sequence[Row]) -> list[Membership]:
        """Return the membership of each row, in order."""
        if not self.names:
            return [_NO_GROUPS] * len(rows)
        participants = self._competition.participants.filter(player__external_id__in=[row.player for row in rows])
        columns = ("player__external_id", "team_id", "team__name", "division__name")
        by_player = {player: Membership(*groups) for player, *groups in participants.order_by().values_list(*columns)}
        return [by_player.get(row.player, _NO_GROUPS) for row in rows]

    def told(self, membership: Membership) -> dict[str, str | None]:
        """Return ``team`` if the competition has teams and ``division`` if it has divisions; None is no group."""
        return {name: getattr(membership, name) for name in self.names}


class GroupColumns:
    """The group columns of an export of the standings. Use one instance for each file; rows come best first."""

    def __init__(self, competition: Competition, ties: Ties) -> None:
        """``ties`` are those of the competition's period."""
        self._groups, self._ranks = Groups(competition), DivisionRanks(ties)
        self._has_divisions = "division" in self._groups.names
        self.names = [*self._groups.names, *(["division_rank"] if self._has_divisions else [])]

    def texts(self, rows: Sequence[Row]) -> list[list[str]]:
        """Return the cells of the next rows, in the order of ``names``; empty is no group."""
        memberships = self._groups.memberships(rows)
        return [self._cells(row, each) for row, each in zip(rows, memberships, strict=True)]

    def _cells(self, row: Row, membership: Membership) -> list[str]:
        cells = [text or "" for text in self._groups.told(membership).values()]
        if self._has_divisions:
            division = membership.division
            cells.append("" if division is None else str(self._ranks.place(division, row.rank or 0)))
        return cells


class PublishedRows:
    """The rows of a final result in batches, best first, as they are published, and then the teams."""

    def __init__(self, competition: Competition, rules: Rules) -> None:
        """``rules`` are those of the competition's period."""
        self._competition, self._rules, self._groups = competition, rules, Groups(competition)
        self._tallies = TeamTallies(team_rules(competition, rules)) if competition.has_teams else None
        self._best: dict[int, Row] = {}

    def shown(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Return the next rows as JSON, each with its groups."""
        memberships = self._groups.memberships(rows)
        for row, membership in zip(rows, memberships, strict=True):
            if self._tallies is not None and membership.team_id is not None:
                self._tallies.add(membership.team_id, player_place(row, self._rules))
                self._best.setdefault(membership.team_id, row)
        return [row_json(row) | self._groups.told(each) for row, each in zip(rows, memberships, strict=True)]

    def teams(self) -> list[dict[str, Any]] | None:
        """Return the teams of all rows so far, best first; None if the competition has no teams."""
        if self._tallies is None:
            return None
        places = self._tallies.places()
        return [team_shown(row) for row in team_rows(self._competition, self._rules, places, self._best)]


def team_shown(row: TeamRow) -> dict[str, Any]:
    """Return a team as a JSON row, with a time only if the board keeps times."""
    value = {"points": row.points} if row.fields is None else {"fields": row.fields}
    at = {} if row.achieved_at is None else {"achieved_at": when(row.achieved_at)}
    return {
        "rank": row.rank,
        "team": row.team,
        "name": row.name,
        **value,
        **at,
        "tied": row.tied,
        "members": row.members,
        "counted": row.counted,
    }
