"""Read standings from SQL: the same answers as Redis gives for the same state.

The trap: equal scores are sorted by the member's bytes, in the board's direction. The column's collation
(``ByteOrderedCharField``) and the index do the same.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import Count, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from foundation import clock
from foundation.errors import Unavailable
from foundation.messages import Message
from leaderboards.core.ranking.gaps import Gap
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period, Standing
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
    pack_gap,
)
from leaderboards.stores.sql.scattered import beyond, count_scattered_ranks

Answer = TypeVar("Answer")

TOTAL_TIMEOUT_FACTOR = 6  # the total gets more time than a rank, since without it there is no answer at all
_QUERY_CANCELED = "57014"  # PostgreSQL: the statement took longer than its time-out


class CountTimeout(Unavailable):
    """SQL ran out of time while counting."""


@contextmanager
def snapshot_transaction() -> Iterator[None]:
    """Open a transaction in which all statements see the same state. Inside a transaction it does nothing."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with _deferred(connection), transaction.atomic():
            yield


@contextmanager
def _deferred(sqlite: Any) -> Iterator[None]:
    """Let SQLite transactions begin as readers. By our settings they begin IMMEDIATE, as the one writer, and wait."""
    mode, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = mode


def run_with_timeout(query: Callable[[], Answer], timeout_ms: int | None) -> Answer | None:
    """Run a query; returns None if PostgreSQL takes longer than ``timeout_ms``. None is no time-out."""
    if timeout_ms is None or connection.vendor != "postgresql":
        return query()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = %s", [timeout_ms])
            answer = query()
            cursor.execute("SET LOCAL statement_timeout = DEFAULT")
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) != _QUERY_CANCELED:
            raise
        return None
    return answer


def _count_timeout() -> CountTimeout:
    return CountTimeout(Message("Redis is away, and counting the players in SQL takes too long; try again."))


class SqlStore:
    """The standings in SQL.

    ``timeout_ms`` bounds each count (PostgreSQL), and ``TOTAL_TIMEOUT_FACTOR`` times as much all ranks of an answer,
    however many players it names. If that is exceeded, rows have no ranks, and quantiles and counts are missing.
    """

    def __init__(self, timeout_ms: int | None = None) -> None:
        self._timeout_ms = timeout_ms

    def read(self, period: Period, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries from one moment of the period."""
        with snapshot_transaction():
            view = _View(period, self._timeout_ms)
            total = view.total()
            view.limit_ranks()
            return QueryResult(total, [view.answer(query) for query in queries])

    def totals(self, periods: Collection[Period]) -> dict[int, int]:
        """Return the number of players by primary key of the period, in one statement. Raises ``CountTimeout``."""
        ranked = Standing.objects.filter(period__in=[period.pk for period in periods], score__isnull=False).order_by()
        counts = ranked.values_list("period").annotate(players=Count("pk"))
        timeout_ms = self._timeout_ms and self._timeout_ms * TOTAL_TIMEOUT_FACTOR
        totals = run_with_timeout(lambda: dict(counts), timeout_ms)
        if totals is None:
            raise _count_timeout()
        return {period.pk: totals.get(period.pk, 0) for period in periods}

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """Return the rows at these shares of the ranking, in thousandths from the best."""
        with snapshot_transaction():
            total = _View(period, self._timeout_ms).total()
            if total == 0:
                return Quantiles(0, [])
            places = [min(total * share // 1000, total - 1) + 1 for share in shares]
            rows = run_with_timeout(lambda: self._at_places(period, sorted(set(places))), self._timeout_ms)
        return Quantiles(total, [rows[place] for place in places] if rows else [])

    def counts(self, period: Period, ranges: Sequence[ScoreRange]) -> list[int] | None:
        """Count the players in each range of scores; None if that takes too long."""
        counts = {f"n{index}": Count("pk", filter=in_score_range(each)) for index, each in enumerate(ranges)}
        by_name = run_with_timeout(lambda: _View(period).rows.aggregate(**counts), self._timeout_ms)
        return [by_name[name] for name in counts] if by_name else None

    def scores(self, period: Period, players: Sequence[str]) -> dict[str, float]:
        """Return the scores of those of these players who are ranked."""
        rows = _View(period).rows.filter(player__external_id__in=players).order_by()
        return {player: float(score or 0) for player, score in rows.values_list("player__external_id", "score")}

    def _at_places(self, period: Period, places: Sequence[int]) -> dict[int, tuple[str, float]]:
        view = _View(period)
        place = Window(RowNumber(), order_by=view.forward)
        rows = view.rows.annotate(place=place).filter(place__in=places)
        return {row.place: (row.member, float(row.score or 0)) for row in rows}


class TimeBoundedSqlStore(SqlStore):
    """Reads rows with as many ranks as can be counted within ``timeout_ms`` in all; totals are not counted but 0."""

    def read(self, period: Period, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries from one moment of the period."""
        deadline = clock.monotonic() + (self._timeout_ms or 0) / 1000
        with snapshot_transaction():
            view = _View(period, deadline=deadline)
            return QueryResult(0, [view.answer(query) for query in queries])


class _View:
    """The ranked rows of a period in the board's direction; nothing is counted after ``deadline`` (monotonic s)."""

    def __init__(self, period: Period, timeout_ms: int | None = None, deadline: float | None = None) -> None:
        self._timeout_ms, self._deadline = timeout_ms, deadline
        self._period = period
        self.rules = period.rules
        self.layout = period.layout
        self.rows: QuerySet[Standing] = Standing.objects.filter(period=period, score__isnull=False)
        is_descending = self.rules.order is Order.DESC
        self._better = "gt" if is_descending else "lt"
        self._worse = "lt" if is_descending else "gt"
        self.forward = ("-score", "-member") if is_descending else ("score", "member")
        self._backward = ("score", "member") if is_descending else ("-score", "-member")
        self._counted_ranks: dict[float, tuple[int, int, int]] = {}  # by score: rank, tied, ahead

    def total(self) -> int:
        total = self._count(self.rows, factor=TOTAL_TIMEOUT_FACTOR)
        if total is None:
            raise _count_timeout()
        return total

    def limit_ranks(self) -> None:
        """Give all ranks together as long as the total, where each has a time-out."""
        if self._timeout_ms is not None:
            self._deadline = clock.monotonic() + self._timeout_ms * TOTAL_TIMEOUT_FACTOR / 1000

    def answer(self, query: Query) -> list[RankedRow]:
        match query:
            case Page(offset, limit):
                return self._add_ranks(self._cells(self.rows.order_by(*self.forward)[offset : offset + limit]), offset)
            case Around(player, radius):
                return self._around(player, radius)
            case AroundGap(gap, ahead, behind):
                return self._around_gap(gap, ahead, behind)
            case ForPlayers(players):
                cells = self._cells(self.rows.filter(player__external_id__in=players))
                return self._add_scattered_ranks(cells)

    def _add_scattered_ranks(self, cells: list[tuple[str, float]]) -> list[RankedRow]:
        """Add ranks to rows that need not be consecutive, in the order in which they came."""
        if len(cells) == 1:
            return self._add_ranks(cells, self._offset_of(*cells[0]))
        is_limited = bool(self._timeout_ms) or self._deadline is not None
        ranks = count_scattered_ranks(self.rows, self.rules, cells, self._run_in_time, is_limited)
        unknown = (None, None, None)
        return [RankedRow(member, score, *ranks.get((member, score), unknown)) for member, score in cells]

    def _around(self, player: str, radius: int) -> list[RankedRow]:
        me = self._cells(self.rows.filter(player__external_id=player))
        if not me:
            return []
        member, score = me[0]
        my_offset = self._offset_of(member, score)
        ahead = self._beyond(self._better, member, score).order_by(*self._backward)[:radius]
        behind = self._beyond(self._worse, member, score).order_by(*self.forward)[:radius]
        before = self._cells(ahead)[::-1]
        offset = None if my_offset is None else my_offset - len(before)
        return self._add_ranks([*before, *me, *self._cells(behind)], offset)

    def _around_gap(self, gap: Gap, ahead: int, behind: int) -> list[RankedRow]:
        score, member = pack_gap(self._period, gap)
        better = self._beyond(self._better, member, score, inclusive=gap.is_after)
        worse = self._beyond(self._worse, member, score, inclusive=not gap.is_after)
        before = self._cells(better.order_by(*self._backward)[:ahead])[::-1]
        offset = self._count(better) if self.rules.ties.by_time else 0
        first = None if offset is None else offset - len(before)
        return self._add_ranks([*before, *self._cells(worse.order_by(*self.forward)[:behind])], first)

    def _offset_of(self, member: str, score: float) -> int | None:
        """Count the rows before this one; 0 without counting where equal scores share a rank. None: out of time."""
        if not self.rules.ties.by_time:
            return 0
        return self._count(self._beyond(self._better, member, score))

    def _count(self, rows: QuerySet[Standing, Any], factor: int = 1) -> int | None:
        return self._run_in_time(rows.count, factor)

    def _run_in_time(self, query: Callable[[], Answer], factor: int = 1) -> Answer | None:
        """Run a query within the time-out (times ``factor``) and before the deadline; None if that is exceeded."""
        limit_ms = self._timeout_ms and self._timeout_ms * factor
        if self._deadline is not None:
            left_ms = int((self._deadline - clock.monotonic()) * 1000)
            if left_ms <= 0:
                return None
            limit_ms = min(limit_ms or left_ms, left_ms)
        return run_with_timeout(query, limit_ms)

    def _beyond(self, side: str, member: str, score: float, inclusive: bool = False) -> QuerySet[Standing]:
        """Return the rows on one side of a row, or with it if ``inclusive``."""
        return self.rows.filter(beyond(side, member, score, inclusive))

    def _cells(self, rows: QuerySet[Standing]) -> list[tuple[str, float]]:
        return [(member, score) for member, score in rows.values_list("member", "score") if score is not None]

    def _add_ranks(self, cells: list[tuple[str, float]], offset: int | None) -> list[RankedRow]:
        """Add ranks to consecutive rows, the first of which has ``offset`` rows before it; None is unknown."""
        if offset is None:
            return [RankedRow(member, score, None, None, None) for member, score in cells]
        if self.rules.ties.by_time:
            return [RankedRow(member, score, offset + i + 1, 1, offset + i) for i, (member, score) in enumerate(cells)]
        scores = {score for _, score in cells}
        if not scores <= self._counted_ranks.keys():
            self._counted_ranks |= self._count_shared_ranks(scores)
        unknown = (None, None, None)
        return [RankedRow(member, score, *self._counted_ranks.get(score, unknown)) for member, score in cells]

    def _count_shared_ranks(self, scores: Iterable[float]) -> dict[float, tuple[int, int, int]]:
        """Count rank, tied and ahead for consecutive scores of the period; {} if that takes too long."""
        if not (best_first := sorted(scores, reverse=self.rules.order is Order.DESC)):
            return {}
        better = self.rows.filter(**{f"score__{self._better}": best_first[0]})
        dense = self.rules.ties is Ties.DENSE
        ahead = self._count(better)
        distinct = self._count(better.values("score").distinct()) if dense else ahead
        if ahead is None or distinct is None:
            return {}
        per_score = self.rows.filter(score__in=best_first).order_by().values_list("score").annotate(Count("pk"))
        tied: dict[Any, int] | None = self._run_in_time(lambda: dict(per_score))
        if tied is None:
            return {}
        rank, ranks = 1 + distinct, {}
        for score in best_first:
            ranks[score] = (rank, tied[score], ahead)
            rank += 1 if dense else tied[score]
            ahead += tied[score]
        return ranks


def in_score_range(score_range: ScoreRange) -> Q:
    """Return the condition that a score lies in the range."""
    condition = Q()
    if score_range.start is not None:
        condition &= Q(score__gte=score_range.start)
    if score_range.stop is not None:
        condition &= Q(score__lt=score_range.stop)
    return condition
