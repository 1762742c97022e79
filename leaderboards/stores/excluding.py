"""A store as it would answer if some players were not there: ranks close up, unless places are to stay empty, and no
page is shorter for it.

It asks the other store for a few rows more and for the places of those who are left out, all of one moment, and counts
them out. They are few. The trap: of equals, only the order of scores and members says who of them comes first.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period
from leaderboards.stores.base import (
    Around,
    ForPlayers,
    Page,
    Quantiles,
    Query,
    QueryResult,
    RankedRow,
    ScoreRange,
    Store,
)

_Key = tuple[float, bytes]


class ExcludingStore:
    """The standings of ``store`` without ``players``; with ``stay_empty`` nobody moves up to their ranks."""

    def __init__(self, store: Store, players: Collection[str], stay_empty: bool = False) -> None:
        self._store, self._players, self._stay_empty = store, tuple(sorted(players)), stay_empty

    def read(self, period: Period, questions: Sequence[Query]) -> QueryResult:
        """Answer all questions from one moment of the period."""
        return self.narrow(period, questions, self._store.read(period, self.widen(questions)))

    def widen(self, questions: Sequence[Query]) -> list[Query]:
        """What the other store is to be asked."""
        return [*(self._wider(each) for each in questions), ForPlayers(self._players)]

    def narrow(self, period: Period, questions: Sequence[Query], found: QueryResult) -> QueryResult:
        """What comes of its answers."""
        out = self._out(period, found)
        pairs = zip(questions, found.answers, strict=False)  # the last answer is ``out``
        return QueryResult(
            found.total - len(out.rows), [_asked_for(question, rows, out, period) for question, rows in pairs]
        )

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """The rows at shares of the field, in thousandths from the best."""
        total = self.read(period, []).total
        if total <= 0 or not self._store.quantiles(period, shares).rows:
            return Quantiles(max(0, total), [])
        pages = self.read(period, [Page(min(total * share // 1000, total - 1), 1) for share in shares]).answers
        return Quantiles(total, [(row.member, row.score) for rows in pages for row in rows])

    def counts(self, period: Period, spans: Sequence[ScoreRange]) -> list[int] | None:
        """How many players each span of scores holds; None where SQL had no time."""
        counted = self._store.counts(period, spans)
        if counted is None:
            return None
        out = self._out(period, self._store.read(period, self.widen([])))
        return [
            number - sum(_is_within(row.score, span) for row in out.rows)
            for number, span in zip(counted, spans, strict=True)
        ]

    def _out(self, period: Period, found: QueryResult) -> "_Out":
        return _Out(period, found.answers[-1] if found.answers else [], self._stay_empty)

    def _wider(self, question: Query) -> Query:
        more = len(self._players)
        match question:
            case Page(offset, limit):
                return Page(offset, limit + more)
            case Around(player, radius):
                return Around(player, radius + more)
        return question


class _Out:
    """The rows of those who are left out, where they stand."""

    def __init__(self, period: Period, rows: Sequence[RankedRow], stay_empty: bool) -> None:
        self.rows, self.ties, self._stay_empty = rows, period.rules.ties, stay_empty
        self.players = {period.layout.player_of(row.member) for row in rows}
        self._is_down = period.rules.order is Order.DESC
        equals = Counter(row.score for row in rows)
        self._is_untold = self.ties is Ties.DENSE and any(row.tied is None for row in rows)
        self._emptied = {row.score for row in rows if row.tied == equals[row.score]}

    def before(self, row: RankedRow) -> int:
        """How many of them stand before a row, in the order of rows."""
        return sum(self._is_better(_key(each), _key(row)) for each in self.rows)

    def without(self, row: RankedRow) -> RankedRow:
        """The row's place once they are gone. Whether they leave gaps or not, nobody counts them any more: they are
        neither ahead of anybody nor tied with anybody."""
        if row.rank is None or row.tied is None or row.ahead is None:
            return row
        if self._is_untold and not self._stay_empty:  # whether they leave a gap was not counted in time
            return row._replace(rank=None, tied=None, ahead=None)
        moved = self._moved_up(row, row.rank, row.tied, row.ahead)
        return moved._replace(rank=row.rank) if self._stay_empty else moved

    def _moved_up(self, row: RankedRow, rank: int, tied: int, ahead: int) -> RankedRow:
        if self.ties.by_time:
            ahead -= self.before(row)
            return row._replace(rank=ahead + 1, ahead=ahead)
        better = [each.score for each in self.rows if self._is_better((each.score, b""), (row.score, b""))]
        ahead, tied = ahead - len(better), tied - sum(each.score == row.score for each in self.rows)
        rank = rank - len(self._emptied.intersection(better)) if self.ties is Ties.DENSE else ahead + 1
        return row._replace(rank=rank, tied=tied, ahead=ahead)

    def _is_better(self, one: _Key, other: _Key) -> bool:
        return one > other if self._is_down else one < other


def _asked_for(question: Query, rows: Sequence[RankedRow], out: _Out, period: Period) -> list[RankedRow]:
    """What was asked for, of the rows that were read."""
    players = [period.layout.player_of(row.member) for row in rows]
    left = [(player, out.without(row)) for player, row in zip(players, rows, strict=True) if player not in out.players]
    first, last = 0, len(left)
    match question:
        case Page(_, limit):
            first = out.before(rows[0]) if rows else 0
            last = first + limit
        case Around(player, radius):
            place = next((nth for nth, (name, _) in enumerate(left) if name == player), None)
            first, last = (0, 0) if place is None else (max(0, place - radius), place + radius + 1)
    return [row for _, row in left[first:last]]


def _is_within(score: float, span: ScoreRange) -> bool:
    return (span.start is None or span.start <= score) and (span.stop is None or score < span.stop)


def _key(row: RankedRow) -> _Key:
    return row.score, row.member.encode()
