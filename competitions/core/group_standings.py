"""Standings of groups, from the rows of players: teams by what their members have, places within a division.

The rows are those of one moment, best first, as the asker may see them; nothing else is looked at, so what a row does
not show no team shows. The trap: averages are fractions. They are compared exactly, as whole numbers over one common
denominator, and rounded where they are shown.
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
    """What a team's standing is made of."""

    SUM = "sum"
    BEST = "best"
    AVERAGE = "average"


@dataclass(frozen=True, slots=True)
class PlayerPlace:
    """A player in their place; ``points`` are scaled, and 0 on boards of criteria, whose teams go by their best."""

    player: str
    rank: int
    points: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TeamRules:
    """How teams rank. ``counts`` is how many of a team's best members count, None is all who have a score."""

    formula: Formula
    order: Order = Order.DESC
    ties: Ties = Ties.FIRST_COME
    counts: int | None = None


@dataclass(frozen=True, slots=True)
class TeamPlace:
    """A team in its place. ``value`` is exact, in scaled points, of its best ``counted`` members.

    ``at`` is when the team had reached it, None where the board keeps no time. ``scored`` are indexes of rows, the best
    member first; empty where the rows came one by one.
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
    """A team's members that count, so far; ``best`` is the rank of the first."""

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
    """What teams have, of rows that come one by one, best first: as much is kept as there are teams, not rows."""

    def __init__(self, rules: TeamRules) -> None:
        self._rules = rules
        self._most = 1 if rules.formula is Formula.BEST else rules.counts
        self._teams: dict[int, _Tally] = {}

    def add(self, team: int, row: PlayerPlace) -> None:
        """The next member of a team; of those who stand behind the best ``counts`` nothing is kept."""
        tally = self._teams.setdefault(team, _Tally(row.rank))
        if self._most is None or tally.counted < self._most:
            tally.count(row)

    def places(self, scored: Mapping[int, Sequence[int]] = MappingProxyType({})) -> list[TeamPlace]:
        """The teams of which a member has come, best first; equals share a rank and stand by their number.

        ``scored`` are the indexes of each team's rows, where the caller has them.
        """
        rules, common = self._rules, self._common()
        keyed = sorted((_key(tally, rules, common), team) for team, tally in self._teams.items())
        held = rank_scores([key for key, _ in keyed], _sharing(rules.ties))
        return [
            self._teams[team].place(team, place, rules.formula, tuple(scored.get(team, ())))
            for (_, team), place in zip(keyed, held, strict=True)
        ]

    def _common(self) -> int:
        """What every value times it is a whole number: 1 but for averages, which have been divided."""
        if self._rules.formula is not Formula.AVERAGE:
            return 1
        return lcm(*{tally.counted for tally in self._teams.values()})


def team_standings(rows: Sequence[PlayerPlace], team_of: Mapping[str, int], rules: TeamRules) -> list[TeamPlace]:
    """The teams of which at least one member has a row, best first; equals share a rank and stand by their number.

    ``rows`` stand best first. A member without a row adds nothing to a sum, and is not part of an average.
    """
    tallies, members = TeamTallies(rules), dict[int, list[int]]()
    for index, row in enumerate(rows):
        team = team_of.get(row.player)
        if team is not None:
            tallies.add(team, row)
            members.setdefault(team, []).append(index)
    return tallies.places(members)


def division_places(ranks: Sequence[int], ties: Ties) -> list[SharedRank]:
    """The places within a division of rows that hold these ranks overall, best first."""
    return rank_scores(ranks, _sharing(ties))


class DivisionRanks:
    """Places within divisions, of rows that come one by one, best first: the last place of each division is kept."""

    def __init__(self, ties: Ties) -> None:
        self._dense = _sharing(ties) is Ties.DENSE
        self._last: dict[str, tuple[int, int, int]] = {}  # rank overall, place, how many came

    def place(self, division: str, rank: int) -> int:
        """The place within ``division`` of its next row, which holds ``rank`` overall."""
        before, place, came = self._last.get(division, (-1, 0, 0))
        if rank != before:
            place = (place if self._dense else came) + 1
        self._last[division] = (rank, place, came + 1)
        return place


def _sharing(ties: Ties) -> Ties:
    """Time is part of what is compared already: anybody who is equal all the same shares a rank."""
    return Ties.DENSE if ties is Ties.DENSE else Ties.SHARED


def _key(tally: _Tally, rules: TeamRules, common: int) -> tuple[int, ...]:
    """The smaller the better; values times ``common``. By the best member, the rank says all that the board knows of
    ties."""
    if rules.formula is Formula.BEST:
        return (tally.best,)
    average = rules.formula is Formula.AVERAGE
    value, since = tally.total * (common // tally.counted if average else common), _time_key(tally.at, rules.ties)
    if rules.order is Order.DESC:
        return (-value, since)
    # Where less is better, a sum of fewer results would win by what is missing from it.
    missing = -tally.counted if rules.formula is Formula.SUM else 0
    return (missing, value, since)


def _time_key(at: datetime | None, ties: Ties) -> int:
    if at is None or not ties.by_time:
        return 0
    since = (at - _EPOCH) // _MICROSECOND
    return since if ties is Ties.FIRST_COME else -since
