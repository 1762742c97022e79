"""What every store of standings answers: the contract that one test suite holds them all to.

A store knows members and scores. What they mean (points, times, names) is the layout's and the
selectors' business.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from leaderboards.models import Period


@dataclass(frozen=True, slots=True)
class Page:
    """The rows from ``offset`` (0 is the best), ``limit`` of them."""

    offset: int
    limit: int


@dataclass(frozen=True, slots=True)
class Around:
    """A player and up to ``radius`` rows on each side; no rows if they are not ranked."""

    player: str
    radius: int


@dataclass(frozen=True, slots=True)
class ForPlayers:
    """These players' rows, in no order; who is not ranked is left out."""

    players: tuple[str, ...]


Query = Page | Around | ForPlayers


class RankedRow(NamedTuple):
    """A member in its place: ``tied`` share the rank, themselves included; ``ahead`` are strictly better.

    The three are None where SQL stood in for Redis and had no time to count.
    """

    member: str
    score: float
    rank: int | None
    tied: int | None
    ahead: int | None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Answers of one moment: as many lists as there were questions."""

    total: int
    answers: list[list[RankedRow]]


class ConditionalResult(NamedTuple):
    """What was told to who may have the answers already: their digest, how many players there are, and the answers,
    None where the digest is the known one; and the answers to what was asked besides, of the same moment."""

    digest: str
    total: int
    reading: QueryResult | None
    beside: QueryResult


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The (member, score) pairs at the places asked for; none on an empty board, nor where SQL stood in for Redis and
    had no time to find them.
    """

    total: int
    rows: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """Scores from ``start`` up to but not including ``stop``; None is open."""

    start: float | None
    stop: float | None


class Store(Protocol):
    """Reads over one period's standings."""

    def read(self, period: Period, questions: Sequence[Query]) -> QueryResult:
        """Answer all questions from one moment of the period."""

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """The rows at shares of the field, in thousandths from the best (0) to the last (1000)."""

    def counts(self, period: Period, spans: Sequence[ScoreRange]) -> list[int] | None:
        """How many players each span of scores holds; None where SQL stood in for Redis and had no time."""
