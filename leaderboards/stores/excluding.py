"""A store that answers as if some players did not exist. Pages keep their length.

Players behind an excluded one move up, unless ``stay_empty`` is set. The wrapper reads a few more rows and the rows of
the excluded players from the wrapped store, all from one moment, and subtracts them. It is meant for few players. The
trap: among equal scores, the order is that of the members.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period
from leaderboards.stores.base import (
    Around,
    AroundGap,
    ForPlayers,
    Page,
    Quantiles,
    Query,
    QueryResult,
    RankedRow,
    ScoreRange,
    Store,
    split_at_gap,
)

_SortKey = tuple[float, bytes]


class ExcludingStore:
    """The standings of ``store`` without ``players``; with ``stay_empty`` the ranks of the others do not change."""

    def __init__(self, store: Store, players: Collection[str], stay_empty: bool = False) -> None:
        self._store, self._players, self._stay_empty = store, tuple(sorted(players)), stay_empty

    def read(self, period: Period, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries from one moment of the period."""
        return self.narrow(period, queries, self._store.read(period, self.widen(queries)))

    def widen(self, queries: Sequence[Query]) -> list[Query]:
        """Return the queries to send to the wrapped store."""
        return [*(self._widen_query(query) for query in queries), ForPlayers(self._players, ranked=False)]

    def narrow(self, period: Period, queries: Sequence[Query], wide: QueryResult) -> QueryResult:
        """Turn the wrapped store's answers to ``widen(queries)`` into the answers without the excluded players."""
        excluded = self._excluded_rows(period, wide)
        pairs = zip(queries, wide.answers, strict=False)  # the last answer has the excluded rows
        answers = [_narrow_answer(query, rows, excluded, period) for query, rows in pairs]
        return QueryResult(wide.total - len(excluded.rows), answers, wide.complete, as_of=wide.as_of)

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """Return the rows at these shares of the ranking, in thousandths from the best."""
        total = self.read(period, []).total
        if total <= 0 or not self._store.quantiles(period, shares).rows:
            return Quantiles(max(0, total), [])
        pages = self.read(period, [Page(min(total * share // 1000, total - 1), 1) for share in shares]).answers
        return Quantiles(total, [(row.member, row.score) for rows in pages for row in rows])

    def counts(self, period: Period, ranges: Sequence[ScoreRange]) -> list[int] | None:
        """Count the players in each range of scores; None if SQL ran out of time."""
        counts = self._store.counts(period, ranges)
        if counts is None:
            return None
        excluded = self._excluded_rows(period, self._store.read(period, self.widen([])))
        return [
            count - sum(_is_within(row.score, score_range) for row in excluded.rows)
            for count, score_range in zip(counts, ranges, strict=True)
        ]

    def scores(self, period: Period, players: Sequence[str]) -> dict[str, float]:
        """Return the scores of those of these players who are ranked and not excluded."""
        return self._store.scores(period, [player for player in players if player not in self._players])

    def _excluded_rows(self, period: Period, wide: QueryResult) -> "_ExcludedRows":
        rows = wide.answers[-1] if wide.answers else []
        return _ExcludedRows(period, rows, self._stay_empty, wide.unheard)

    def _widen_query(self, query: Query) -> Query:
        extra = len(self._players)
        match query:
            case Page(offset, limit):
                return Page(offset, limit + extra)
            case Around(player, radius):
                return Around(player, radius + extra)
            case AroundGap(gap, ahead, behind):
                return AroundGap(gap, ahead + extra, behind + extra)
        return query


def row_without(period: Period, row: RankedRow, excluded: Sequence[RankedRow]) -> RankedRow:
    """Return ``row`` with its rank without the rows ``excluded``; all of them are of one moment."""
    return _ExcludedRows(period, excluded, stay_empty=False).adjust(row)


class _ExcludedRows:
    """The rows of the excluded players, and how they change the ranks of others.

    Members ``unheard`` are of a partition that has not answered: they change neither pages nor totals.
    """

    def __init__(
        self, period: Period, rows: Sequence[RankedRow], stay_empty: bool, unheard: Collection[str] = ()
    ) -> None:
        self.players = {period.layout.player_of(row.member) for row in rows}
        rows = [row for row in rows if row.member not in unheard]
        self.rows, self.ties, self._stay_empty = rows, period.rules.ties, stay_empty
        self._is_descending = period.rules.order is Order.DESC
        per_score = Counter(row.score for row in rows)
        self._lacks_ties = self.ties is Ties.DENSE and any(row.tied is None for row in rows)
        self._emptied_scores = {row.score for row in rows if row.tied == per_score[row.score]}

    def count_before(self, row: RankedRow) -> int:
        """Count the excluded rows that are sorted before ``row``."""
        return sum(self._is_better(_sort_key(each), _sort_key(row)) for each in self.rows)

    def adjust(self, row: RankedRow) -> RankedRow:
        """Return the row with its rank without the excluded players.

        With ``stay_empty`` the rank stays. ``ahead`` and ``tied`` never count excluded players.
        """
        if row.rank is None or row.tied is None or row.ahead is None:
            return row
        if self._lacks_ties and not self._stay_empty:  # SQL had no time to count which scores become empty
            return row._replace(rank=None, tied=None, ahead=None)
        moved = self._move_up(row, row.rank, row.tied, row.ahead)
        return moved._replace(rank=row.rank) if self._stay_empty else moved

    def _move_up(self, row: RankedRow, rank: int, tied: int, ahead: int) -> RankedRow:
        if self.ties.by_time:
            ahead -= self.count_before(row)
            return row._replace(rank=ahead + 1, ahead=ahead)
        better = [each.score for each in self.rows if self._is_better((each.score, b""), (row.score, b""))]
        ahead, tied = ahead - len(better), tied - sum(each.score == row.score for each in self.rows)
        rank = rank - len(self._emptied_scores.intersection(better)) if self.ties is Ties.DENSE else ahead + 1
        return row._replace(rank=rank, tied=tied, ahead=ahead)

    def _is_better(self, one: _SortKey, other: _SortKey) -> bool:
        return one > other if self._is_descending else one < other


def _narrow_answer(query: Query, rows: Sequence[RankedRow], excluded: _ExcludedRows, period: Period) -> list[RankedRow]:
    """Select the rows that answer ``query`` from the rows of the widened query."""
    players = [period.layout.player_of(row.member) for row in rows]
    pairs = zip(players, rows, strict=True)
    shown = [(player, excluded.adjust(row)) for player, row in pairs if player not in excluded.players]
    first, last = 0, len(shown)
    match query:
        case Page(offset, limit):  # of an incomplete answer there may be more before it than it has places
            first = min(offset, excluded.count_before(rows[0])) if rows else 0
            last = first + limit
        case Around(player, radius):
            index = next((nth for nth, (name, _) in enumerate(shown) if name == player), None)
            first, last = (0, 0) if index is None else (max(0, index - radius), index + radius + 1)
        case AroundGap(gap, ahead, behind):
            before, _ = split_at_gap(period, gap, [row for _, row in shown])
            first, last = max(0, len(before) - ahead), len(before) + behind
    return [row for _, row in shown[first:last]]


def _is_within(score: float, score_range: ScoreRange) -> bool:
    start, stop = score_range.start, score_range.stop
    return (start is None or start <= score) and (stop is None or score < stop)


def _sort_key(row: RankedRow) -> _SortKey:
    return row.score, row.member.encode()
