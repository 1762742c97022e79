"""Compute team standings and places within divisions from the rows of a ranking.

The rows come from one moment, best first, and hold only what the viewer may see: so teams reveal nothing more.
The trap: averages are fractions. They are compared exactly, as integers over a common denominator, and rounded only
for display.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from math import lcm
from types import MappingProxyType

from leaderboards.core.ranking.ranks import SharedRank, rank_scores
from leaderboards.core.ranking.rules import Order, Ties

_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


class Formula(StrEnum):
    """How a team's value is computed from its members."""

    SUM = "sum"
    BEST = "best"
    AVERAGE = "average"


@dataclass(frozen=True, slots=True)
class PlayerPlace:
    """A player's row. ``points`` are scaled; 0 on boards of criteria, where teams rank by their best member."""

    player: str
    rank: int
    points: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TeamRules:
    """How teams rank. ``counts`` is how many of a team's best members count; None counts all with a score."""

    formula: Formula
    order: Order = Order.DESC
    ties: Ties = Ties.FIRST_COME
    counts: int | None = None


@dataclass(frozen=True, slots=True)
class TeamPlace:
    """A team's row. ``value`` is exact, in scaled points, over its best ``counted`` members.

    ``at`` is when the team reached the value; None where the board keeps no time. ``scored`` are the indexes of its
    members' rows, best first; empty when the caller streams rows.
    """

    team: int
    rank: int
    tied: int
    value: Fraction
    counted: int
    at: datetime | None
    scored: tuple[int, ...] = ()


@dataclass(slots=True)
class _Tally:
    """The running total of a team's members that count; ``best`` is the rank of its best member."""

    best: int
    total: int = 0
    counted: int = 0
    timed: int = 0
    latest: datetime | None = None

    def count(self, row: PlayerPlace) -> None:
        self.total += row.points
        self.counted += 1
        if row.at is not None:
            self.timed += 1
            self.latest = row.at if self.latest is None else max(self.latest, row.at)

    @property
    def at(self) -> datetime | None:
        return self.latest if self.timed == self.counted else None

    def place(self, team: int, place: SharedRank, formula: Formula, scored: tuple[int, ...]) -> TeamPlace:
        value = Fraction(self.total, self.counted if formula is Formula.AVERAGE else 1)
        return TeamPlace(team, place.rank, place.tied, value, self.counted, self.at, scored)


class TeamTallies:
    """Add up teams from a stream of rows, best first. Memory grows with the teams, not with the rows."""

    def __init__(self, rules: TeamRules) -> None:
        self._rules = rules
        self._most = 1 if rules.formula is Formula.BEST else rules.counts
        self._teams: dict[int, _Tally] = {}

    def add(self, team: int, row: PlayerPlace) -> None:
        """Add the next member of a team. Members behind the best ``counts`` are ignored."""
        tally = self._teams.setdefault(team, _Tally(row.rank))
        if self._most is None or tally.counted < self._most:
            tally.count(row)

    def places(self, scored: Mapping[int, Sequence[int]] = MappingProxyType({})) -> list[TeamPlace]:
        """Return the teams with at least one member, best first. Equal teams share a rank, ordered by team number.

        ``scored`` are the indexes of each team's rows, if the caller has them.
        """
        rules, denominator = self._rules, self._common_denominator()
        keyed = sorted((_sort_key(tally, rules, denominator), team) for team, tally in self._teams.items())
        ranks = rank_scores([key for key, _ in keyed], _team_ties(rules.ties))
        return [
            self._teams[team].place(team, place, rules.formula, tuple(scored.get(team, ())))
            for (_, team), place in zip(keyed, ranks, strict=True)
        ]

    def _common_denominator(self) -> int:
        """Return the factor that makes every value an integer: 1 except for averages."""
        if self._rules.formula is not Formula.AVERAGE:
            return 1
        return lcm(*{tally.counted for tally in self._teams.values()})


def team_standings(rows: Sequence[PlayerPlace], team_of: Mapping[str, int], rules: TeamRules) -> list[TeamPlace]:
    """Return the teams with at least one row, best first. Equal teams share a rank, ordered by team number.

    ``rows`` are best first. A member without a row adds nothing to a sum and does not count in an average.
    """
    tallies, members = TeamTallies(rules), dict[int, list[int]]()
    for index, row in enumerate(rows):
        team = team_of.get(row.player)
        if team is not None:
            tallies.add(team, row)
            members.setdefault(team, []).append(index)
    return tallies.places(members)


def division_places(ranks: Sequence[int], ties: Ties) -> list[SharedRank]:
    """Return the places within a division of the rows with these overall ranks, best first."""
    return rank_scores(ranks, _team_ties(ties))


class DivisionRanks:
    """Compute places within divisions from a stream of rows, best first. Only each division's last place is stored."""

    def __init__(self, ties: Ties) -> None:
        self._is_dense = _team_ties(ties) is Ties.DENSE
        self._last: dict[str, tuple[int, int, int]] = {}  # division → overall rank, place, rows so far

    def place(self, division: str, rank: int) -> int:
        """Return the place within ``division`` of its next row, whose overall rank is ``rank``."""
        last_rank, place, count = self._last.get(division, (-1, 0, 0))
        if rank != last_rank:
            place = (place if self._is_dense else count) + 1
        self._last[division] = (rank, place, count + 1)
        return place


def _team_ties(ties: Ties) -> Ties:
    """Return the tie rule for values that already include the time: what is still equal shares a rank."""
    return Ties.DENSE if ties is Ties.DENSE else Ties.SHARED


def _sort_key(tally: _Tally, rules: TeamRules, denominator: int) -> tuple[int, ...]:
    """Return the sort key of a team, smaller is better, with values multiplied by ``denominator``.

    For teams that rank by their best member, the member's rank already includes the board's tie rule.
    """
    if rules.formula is Formula.BEST:
        return (tally.best,)
    divisor = tally.counted if rules.formula is Formula.AVERAGE else 1
    value, since = tally.total * (denominator // divisor), _time_key(tally.at, rules.ties)
    if rules.order is Order.DESC:
        return (-value, since)
    # Where less is better, a sum of fewer results would win only because results are missing.
    fewer_results = -tally.counted if rules.formula is Formula.SUM else 0
    return (fewer_results, value, since)


def _time_key(at: datetime | None, ties: Ties) -> int:
    if at is None or not ties.by_time:
        return 0
    since = (at - _EPOCH) // _MICROSECOND
    return since if ties is Ties.FIRST_COME else -since
