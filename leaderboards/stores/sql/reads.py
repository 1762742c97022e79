"""Reading standings from SQL: the same answers as Redis gives, for the same state.

The trap: equal scores stand by the member's bytes in the board's direction; the column's own
collation sees to that (``ByteOrderedCharField``), and the index runs the same way.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import Count, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from foundation import clock
from foundation.errors import Unavailable
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period, Standing
from leaderboards.stores.base import Around, ForPlayers, Page, Quantiles, Query, QueryResult, RankedRow, ScoreRange

Answer = TypeVar("Answer")

TOTAL_TIMEOUT_FACTOR = 6  # times that of a rank: without a total there is no answer at all
_CANCELED = "57014"  # PostgreSQL: the statement took longer than its time-out


class CountTimeout(Unavailable):
    """SQL had no time to count."""


@contextmanager
def snapshot_transaction() -> Iterator[None]:
    """A transaction in which all statements see the same state. Inside a caller's transaction it is the caller's."""
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
    """Transactions of SQLite that begin as readers: by our settings they begin as the one writer, and would wait."""
    mode, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = mode


def run_with_timeout(question: Callable[[], Answer], timeout_ms: int | None) -> Answer | None:
    """The answer of one statement; None where PostgreSQL takes longer than ``timeout_ms``, which None lets it."""
    if timeout_ms is None or connection.vendor != "postgresql":
        return question()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = %s", [timeout_ms])
            answer = question()
            cursor.execute("SET LOCAL statement_timeout = DEFAULT")
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) != _CANCELED:
            raise
        return None
    return answer


def _too_many() -> CountTimeout:
    return CountTimeout("Redis is away, and counting the players in SQL takes too long; try again.")


class SqlStore:
    """Standings as SQL has them.

    ``timeout_ms`` bounds each count (PostgreSQL): where it does not suffice, rows come without ranks, and a spread
    without what was to be counted for it.
    """

    def __init__(self, timeout_ms: int | None = None) -> None:
        self._timeout_ms = timeout_ms

    def read(self, period: Period, questions: Sequence[Query]) -> QueryResult:
        """Answer all questions from one moment of the period."""
        with snapshot_transaction():
            view = _View(period, self._timeout_ms)
            return QueryResult(view.total(), [view.answer(question) for question in questions])

    def totals(self, periods: Collection[Period]) -> dict[int, int]:
        """By period (its pk) how many players it has, in one statement. Raises ``CountTimeout``."""
        ranked = Standing.objects.filter(period__in=[period.pk for period in periods], score__isnull=False).order_by()
        counted = ranked.values_list("period").annotate(players=Count("pk"))
        found = run_with_timeout(lambda: dict(counted), self._timeout_ms and self._timeout_ms * TOTAL_TIMEOUT_FACTOR)
        if found is None:
            raise _too_many()
        return {period.pk: found.get(period.pk, 0) for period in periods}

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """The rows at shares of the field, in thousandths from the best."""
        with snapshot_transaction():
            total = _View(period, self._timeout_ms).total()
            if total == 0:
                return Quantiles(0, [])
            places = [min(total * share // 1000, total - 1) + 1 for share in shares]
            found = run_with_timeout(lambda: self._at_places(period, sorted(set(places))), self._timeout_ms)
        return Quantiles(total, [found[place] for place in places] if found else [])

    def counts(self, period: Period, spans: Sequence[ScoreRange]) -> list[int] | None:
        """How many players each span of scores holds."""
        counted = {f"n{index}": Count("pk", filter=in_score_range(span)) for index, span in enumerate(spans)}
        found = run_with_timeout(lambda: _View(period).rows.aggregate(**counted), self._timeout_ms)
        return [found[f"n{index}"] for index in range(len(spans))] if found else None

    def _at_places(self, period: Period, places: Sequence[int]) -> dict[int, tuple[str, float]]:
        view = _View(period)
        place = Window(RowNumber(), order_by=view.forward)
        found = view.rows.annotate(place=place).filter(place__in=places)
        return {row.place: (row.member, float(row.score or 0)) for row in found}


class TimeBoundedSqlStore(SqlStore):
    """Rows with their ranks, as far as ``timeout_ms`` suffices for all counts together; totals are 0, uncounted."""

    def read(self, period: Period, questions: Sequence[Query]) -> QueryResult:
        """Answer all questions from one moment of the period."""
        until = clock.monotonic() + (self._timeout_ms or 0) / 1000
        with snapshot_transaction():
            view = _View(period, until=until)
            return QueryResult(0, [view.answer(question) for question in questions])


class _View:
    """One period's ranked rows, seen in the board's direction; nothing is counted after ``until`` (monotonic s)."""

    def __init__(self, period: Period, timeout_ms: int | None = None, until: float | None = None) -> None:
        self._timeout_ms, self._until = timeout_ms, until
        self.rules = period.rules
        self.layout = period.layout
        self.rows: QuerySet[Standing] = Standing.objects.filter(period=period, score__isnull=False)
        down = self.rules.order is Order.DESC
        self._better = "gt" if down else "lt"
        self._worse = "lt" if down else "gt"
        self.forward = ("-score", "-member") if down else ("score", "member")
        self._backward = ("score", "member") if down else ("-score", "-member")
        self._known: dict[float, tuple[int, int, int]] = {}  # of the scores whose rank was counted already

    def total(self) -> int:
        total = self._counted(self.rows, times=TOTAL_TIMEOUT_FACTOR)
        if total is None:
            raise _too_many()
        return total

    def answer(self, question: Query) -> list[RankedRow]:
        match question:
            case Page(offset, limit):
                return self._placed(self._cells(self.rows.order_by(*self.forward)[offset : offset + limit]), offset)
            case Around(player, radius):
                return self._around(player, radius)
            case ForPlayers(players):
                cells = self._cells(self.rows.filter(player__external_id__in=players))
                return [row for cell in cells for row in self._placed([cell], self._index(*cell))]

    def _around(self, player: str, radius: int) -> list[RankedRow]:
        me = self._cells(self.rows.filter(player__external_id=player))
        if not me:
            return []
        member, score = me[0]
        index = self._index(member, score)
        ahead = self._beyond(self._better, member, score).order_by(*self._backward)[:radius]
        behind = self._beyond(self._worse, member, score).order_by(*self.forward)[:radius]
        before = self._cells(ahead)[::-1]
        offset = None if index is None else index - len(before)
        return self._placed([*before, *me, *self._cells(behind)], offset)

    def _index(self, member: str, score: float) -> int | None:
        """How many rows stand before this one: asked for where that is the rank, and 0 where scores alone tell it."""
        if not self.rules.ties.by_time:
            return 0
        return self._counted(self._beyond(self._better, member, score))

    def _counted(self, rows: QuerySet[Standing, Any], times: int = 1) -> int | None:
        """How many rows, None if counting them takes longer than there is patience for."""
        return self._in_time(rows.count, times)

    def _in_time(self, question: Callable[[], Answer], times: int = 1) -> Answer | None:
        if self._until is None:
            return run_with_timeout(question, self._timeout_ms and self._timeout_ms * times)
        left_ms = int((self._until - clock.monotonic()) * 1000)
        return run_with_timeout(question, left_ms) if left_ms > 0 else None

    def _beyond(self, side: str, member: str, score: float) -> QuerySet[Standing]:
        """Rows on one side of a place. The bound on the score alone lets the index start there."""
        strictly = Q(**{f"score__{side}": score}) | Q(**{f"member__{side}": member})
        return self.rows.filter(strictly, **{f"score__{side}e": score})

    def _cells(self, rows: QuerySet[Standing]) -> list[tuple[str, float]]:
        return [(member, score) for member, score in rows.values_list("member", "score") if score is not None]

    def _placed(self, cells: list[tuple[str, float]], offset: int | None) -> list[RankedRow]:
        """Ranks for neighbouring cells, the first of which has ``offset`` rows before it; None is unknown."""
        if offset is None:
            return [RankedRow(member, score, None, None, None) for member, score in cells]
        if self.rules.ties.by_time:
            return [RankedRow(member, score, offset + i + 1, 1, offset + i) for i, (member, score) in enumerate(cells)]
        scores = {score for _, score in cells}
        if not scores <= self._known.keys():
            self._known |= self._shared_places(scores)
        return [RankedRow(member, score, *self._known.get(score, (None, None, None))) for member, score in cells]

    def _shared_places(self, scores: Iterable[float]) -> dict[float, tuple[int, int, int]]:
        """Rank, number of sharers and number of players ahead, for scores with none between them."""
        if not (wanted := sorted(scores, reverse=self.rules.order is Order.DESC)):
            return {}
        better = self.rows.filter(**{f"score__{self._better}": wanted[0]})
        dense = self.rules.ties is Ties.DENSE
        ahead = self._counted(better)
        distinct = self._counted(better.values("score").distinct()) if dense else ahead
        if ahead is None or distinct is None:
            return {}
        sharing = self.rows.filter(score__in=wanted).order_by().values_list("score").annotate(Count("pk"))
        tied: dict[Any, int] | None = self._in_time(lambda: dict(sharing))
        if tied is None:
            return {}
        rank, places = 1 + distinct, {}
        for score in wanted:  # neighbours, so nothing lies between one score and the next
            places[score] = (rank, tied[score], ahead)
            rank += 1 if dense else tied[score]
            ahead += tied[score]
        return places


def in_score_range(span: ScoreRange) -> Q:
    """The rows whose score lies in the span."""
    found = Q()
    if span.start is not None:
        found &= Q(score__gte=span.start)
    if span.stop is not None:
        found &= Q(score__lt=span.stop)
    return found
