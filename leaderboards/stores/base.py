"""The interface of every store of standings: queries and results. One test suite checks all stores against it.

A store knows members and scores only. Layouts and selectors turn them into points, times and names.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from foundation.db.resilience import ask as ask_sql
from foundation.messages import Message
from leaderboards.core.packing.layout import Packed
from leaderboards.core.ranking.gaps import Gap
from leaderboards.core.ranking.rules import Order
from leaderboards.errors import BadCursor, OutOfRange
from leaderboards.models import Part, Period, Player


@dataclass(frozen=True, slots=True)
class Page:
    """``limit`` rows from ``offset`` on; 0 is the best."""

    offset: int
    limit: int


@dataclass(frozen=True, slots=True)
class Around:
    """A player and up to ``radius`` rows on each side; no rows if the player is not ranked."""

    player: str
    radius: int


@dataclass(frozen=True, slots=True)
class ForPlayers:
    """The rows of these players, in any order; unranked players are omitted.

    Without ``ranked`` a store that counts dearly leaves their ranks out, where ranks are not dense.
    """

    players: tuple[str, ...]
    ranked: bool = True


@dataclass(frozen=True, slots=True)
class AroundGap:
    """Up to ``ahead`` rows before a gap and up to ``behind`` rows behind it, best first."""

    gap: Gap
    ahead: int
    behind: int


Query = Page | Around | ForPlayers | AroundGap


class RankedRow(NamedTuple):
    """A member with its rank. ``tied`` players share the rank, this one included; ``ahead`` are strictly better.

    All three are None if SQL answered in place of Redis and ran out of time while counting, or where DynamoDB would
    have to read too many.
    """

    member: str
    score: float
    rank: int | None
    tied: int | None
    ahead: int | None


def pack_gap(period: Part, gap: Gap) -> Packed:
    """Return score and member of the standing that tells the gap. Raises ``BadCursor`` if the period has no such.

    Of a compact period SQL is asked for the player's number, if the gap does not have it.
    """
    rules = period.rules
    if len(gap.value) != (1 if rules.of_points else len(rules.fields)):
        raise BadCursor(Message("This cursor is of other criteria than the list has: begin again without a cursor."))
    try:
        return period.layout.pack(gap.value, gap.at_ms or 0, gap.player, _number_of(period, gap))
    except OutOfRange as error:
        raise BadCursor(
            Message("This cursor names a place that the list can not have: begin again without one.")
        ) from error


def _number_of(period: Part, gap: Gap) -> int:
    """The player's number in SQL, where members have it; 0 for one that SQL does not know any more."""
    if gap.number is not None or not period.layout.has_numbers:
        return gap.number or 0
    numbers = Player.objects.filter(external_id=gap.player).values_list("pk", flat=True)
    return ask_sql(numbers.first) or 0


def stands_before(period: Period, standing: Gap, gap: Gap) -> bool:
    """Whether a standing (its own ``is_after`` does not count) stands before a gap. Raises ``BadCursor``."""
    packed = pack_gap(period, standing)
    return bool(split_at_gap(period, gap, [RankedRow(packed.member, packed.score, None, None, None)])[0])


def split_at_gap(period: Period, gap: Gap, rows: Sequence[RankedRow]) -> tuple[list[RankedRow], list[RankedRow]]:
    """Split rows, best first, into those before and those behind a gap. Raises ``BadCursor``."""
    packed, is_descending = pack_gap(period, gap), period.rules.order is Order.DESC
    there = (packed.score, packed.member.encode())
    before: list[RankedRow] = []
    for row in rows:
        here = (row.score, row.member.encode())
        if not (gap.is_after if here == there else (here > there) is is_descending):
            break
        before.append(row)
    return before, list(rows[len(before) :])


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answers to several queries from one moment, one list per query; ``total`` is the number of players.

    Not ``complete``: a partition of a divided period has not answered, so rows and players are missing and nobody has a
    rank. ``unheard`` are the members of it whose rows SQL has told: they are not in the total, nor in pages. ``as_of``
    is set where the answer was allowed to be old.
    """

    total: int
    answers: list[list[RankedRow]]
    complete: bool = True
    unheard: Collection[str] = ()
    as_of: datetime | None = None


class ConditionalResult(NamedTuple):
    """The answer to a caller that may have the answers already.

    ``reading`` is None if ``digest`` is the one the caller knows. ``beside`` has the answers to the other queries, from
    the same moment. ``total`` is the number of players.
    """

    digest: str
    total: int
    reading: QueryResult | None
    beside: QueryResult


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The (member, score) pairs at the requested places.

    There are none on an empty board, in DynamoDB, or if SQL answered in place of Redis and ran out of time.
    """

    total: int
    rows: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """Scores from ``start`` (inclusive) to ``stop`` (exclusive); None is unbounded."""

    start: float | None
    stop: float | None


class Store(Protocol):
    """Reads the standings of a period."""

    def read(self, period: Period, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries from one moment of the period."""

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """Return the rows at these shares of the ranking, in thousandths from the best (0) to the last (1000)."""

    def counts(self, period: Period, ranges: Sequence[ScoreRange]) -> list[int] | None:
        """Count the players in each range of scores; None in DynamoDB, or if SQL answered and ran out of time."""

    def scores(self, period: Period, players: Sequence[str]) -> dict[str, float]:
        """Return the scores of those of these players who are ranked, without counting anybody."""
