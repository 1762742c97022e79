"""Standings of groups, from the rows of players: teams by what their members have, places within a division.

The rows are those of one moment, best first, as the asker may see them; nothing else is looked at, so what a row does
not show no team shows. The trap: averages are fractions. They are compared exactly, and rounded by whoever shows them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from itertools import islice

from leaderboards.core.ranks import Place, places
from leaderboards.core.rules import Order, Ties

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
    """A team in its place. ``value`` is exact, in scaled points; ``scored`` are indexes of rows, the best member first.

    ``counted`` of those count; ``at`` is when the team had reached it, None where the board keeps no time.
    """

    team: int
    rank: int
    tied: int
    value: Fraction
    scored: tuple[int, ...]
    counted: int
    at: datetime | None


@dataclass(frozen=True, slots=True)
class _Reached:
    team: int
    value: Fraction
    scored: tuple[int, ...]
    counted: int
    at: datetime | None
    key: tuple[Fraction | int, ...]


def team_standings(rows: Sequence[PlayerPlace], team_of: Mapping[str, int], rules: TeamRules) -> list[TeamPlace]:
    """The teams of which at least one member has a row, best first; equals share a rank and stand by their number.

    ``rows`` stand best first. A member without a row adds nothing to a sum, and is not part of an average.
    """
    members: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        team = team_of.get(row.player)
        if team is not None:
            members.setdefault(team, []).append(index)
    reached = [_reached(team, scored, rows, rules) for team, scored in members.items()]
    reached.sort(key=lambda each: (each.key, each.team))
    held = places([each.key for each in reached], _sharing(rules.ties))
    return [
        TeamPlace(each.team, place.rank, place.tied, each.value, each.scored, each.counted, each.at)
        for each, place in zip(reached, held, strict=True)
    ]


def division_places(ranks: Sequence[int], ties: Ties) -> list[Place]:
    """The places within a division of rows that hold these ranks overall, best first."""
    return places(ranks, _sharing(ties))


def _sharing(ties: Ties) -> Ties:
    """Time is part of what is compared already: whoever is equal all the same shares a rank."""
    return Ties.DENSE if ties is Ties.DENSE else Ties.SHARED


def _reached(team: int, scored: Sequence[int], rows: Sequence[PlayerPlace], rules: TeamRules) -> _Reached:
    most = 1 if rules.formula is Formula.BEST else rules.counts
    counted = [rows[index] for index in islice(scored, most)]
    total = Fraction(sum(row.points for row in counted))
    value = total / len(counted) if rules.formula is Formula.AVERAGE else total
    times = [row.at for row in counted if row.at is not None]
    at = max(times) if len(times) == len(counted) else None
    key = _key(counted, value, at, rules)
    return _Reached(team, value, tuple(scored), len(counted), at, key)


def _key(
    counted: Sequence[PlayerPlace], value: Fraction, at: datetime | None, rules: TeamRules
) -> tuple[Fraction | int, ...]:
    """The smaller the better. By the best member, the rank says all that the board knows of ties."""
    if rules.formula is Formula.BEST:
        return (counted[0].rank,)
    if rules.order is Order.DESC:
        return (-value, _time_key(at, rules.ties))
    # Where less is better, a sum of fewer results would win by what is missing from it.
    missing = -len(counted) if rules.formula is Formula.SUM else 0
    return (missing, value, _time_key(at, rules.ties))


def _time_key(at: datetime | None, ties: Ties) -> int:
    if at is None or not ties.by_time:
        return 0
    since = (at - _EPOCH) // _MICROSECOND
    return since if ties is Ties.FIRST_COME else -since
