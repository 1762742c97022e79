"""Teams and divisions beside rows of players: in the published result, and in the file of the standings.

Memberships are read with the rows, some thousand at once, so that neither is ever held whole.
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
    """Where a player belongs, now: the number and name of their team, the name of their division."""

    team_id: int | None = None
    team: str | None = None
    division: str | None = None


_NOWHERE = Membership()


class Groups:
    """Which groups a competition has, and who of some rows is in which; its number of queries is one for each call."""

    def __init__(self, competition: Competition) -> None:
        self._competition = competition
        has = {"team": competition.has_teams, "division": competition.divisions.exists()}
        self.names = [name for name, there in has.items() if there]

    def memberships(self, rows: Sequence[Row]) -> list[Membership]:
        """Of each row, in their order."""
        if not self.names:
            return [_NOWHERE] * len(rows)
        found = self._competition.participants.filter(player__external_id__in=[row.player for row in rows])
        columns = ("player__external_id", "team_id", "team__name", "division__name")
        of = {player: Membership(*groups) for player, *groups in found.order_by().values_list(*columns)}
        return [of.get(row.player, _NOWHERE) for row in rows]

    def told(self, membership: Membership) -> dict[str, str | None]:
        """``team`` where the competition has teams, ``division`` where it has divisions; None is in none."""
        return {name: getattr(membership, name) for name in self.names}


class GroupColumns:
    """The columns of groups in a file of the standings, whose rows come best first and once: one for each file."""

    def __init__(self, competition: Competition, ties: Ties) -> None:
        """``ties`` are those of the competition's period."""
        self._groups, self._ranks = Groups(competition), DivisionRanks(ties)
        self._has_divisions = "division" in self._groups.names
        self.names = [*self._groups.names, *(["division_rank"] if self._has_divisions else [])]

    def texts(self, rows: Sequence[Row]) -> list[list[str]]:
        """The cells of the next rows under ``names``; empty is in none."""
        found = self._groups.memberships(rows)
        return [self._cells(row, each) for row, each in zip(rows, found, strict=True)]

    def _cells(self, row: Row, membership: Membership) -> list[str]:
        cells = [text or "" for text in self._groups.told(membership).values()]
        if self._has_divisions:
            division = membership.division
            cells.append("" if division is None else str(self._ranks.place(division, row.rank or 0)))
        return cells


class PublishedRows:
    """A final result's rows as they are published, best first and some at a time, and then the teams behind them."""

    def __init__(self, competition: Competition, rules: Rules) -> None:
        """``rules`` are those of the competition's period."""
        self._competition, self._rules, self._groups = competition, rules, Groups(competition)
        self._tallies = TeamTallies(team_rules(competition, rules)) if competition.has_teams else None
        self._best: dict[int, Row] = {}

    def shown(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """The next rows, each with its groups."""
        found = self._groups.memberships(rows)
        for row, membership in zip(rows, found, strict=True):
            if self._tallies is not None and membership.team_id is not None:
                self._tallies.add(membership.team_id, player_place(row, self._rules))
                self._best.setdefault(membership.team_id, row)
        return [row_json(row) | self._groups.told(each) for row, each in zip(rows, found, strict=True)]

    def teams(self) -> list[dict[str, Any]] | None:
        """The teams of all rows that were shown, best first; None where the competition has none."""
        if self._tallies is None:
            return None
        places = self._tallies.places()
        return [team_shown(row) for row in team_rows(self._competition, self._rules, places, self._best)]


def team_shown(row: TeamRow) -> dict[str, Any]:
    """A team as a row; times only where the board keeps them."""
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
