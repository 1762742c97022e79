"""Reading standings from SQL: the same answers as Redis gives, for the same state.

The trap: equal scores stand by the member's bytes in the board's direction; the column's own
collation sees to that (``ByteOrderedCharField``), and the index runs the same way.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from leaderboards.core.rules import Order, Ties
from leaderboards.models import Period, Standing
from leaderboards.stores.base import Around, Named, Page, Placed, Quantiles, Question, Reading, Span

_SHARING = (Ties.SHARED, Ties.DENSE)


@contextmanager
def one_moment() -> Iterator[None]:
    """A transaction in which all statements see the same state, as far as the surroundings allow."""
    if connection.in_atomic_block or connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


class SqlStore:
    """Standings as SQL has them."""

    def read(self, period: Period, questions: Sequence[Question]) -> Reading:
        """Answer all questions from one moment of the period."""
        with one_moment():
            view = _View(period)
            return Reading(view.rows.count(), [view.answer(question) for question in questions])

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """The rows at shares of the field, in thousandths from the best."""
        with one_moment():
            total = _View(period).rows.count()
            if total == 0:
                return Quantiles(0, [])
            places = [min(total * share // 1000, total - 1) + 1 for share in shares]
            found = self._at_places(period, sorted(set(places)))
        return Quantiles(total, [found[place] for place in places])

    def counts(self, period: Period, spans: Sequence[Span]) -> list[int]:
        """How many players each span of scores holds."""
        counted = {f"n{index}": Count("pk", filter=within(span)) for index, span in enumerate(spans)}
        found = _View(period).rows.aggregate(**counted)
        return [found[f"n{index}"] for index in range(len(spans))]

    def _at_places(self, period: Period, places: Sequence[int]) -> dict[int, tuple[str, float]]:
        view = _View(period)
        place = Window(RowNumber(), order_by=view.forward)
        found = view.rows.annotate(place=place).filter(place__in=places)
        return {row.place: (row.member, float(row.score or 0)) for row in found}


class _View:
    """One period's ranked rows, seen in the board's direction."""

    def __init__(self, period: Period) -> None:
        self.rules = period.rules
        self.layout = period.layout
        self.rows: QuerySet[Standing] = Standing.objects.filter(period=period, score__isnull=False)
        down = self.rules.order is Order.DESC
        self._better = "gt" if down else "lt"
        self._worse = "lt" if down else "gt"
        self.forward = ("-score", "-member") if down else ("score", "member")
        self._backward = ("score", "member") if down else ("-score", "-member")

    def answer(self, question: Question) -> list[Placed]:
        match question:
            case Page(offset, limit):
                return self._placed(self._cells(self.rows.order_by(*self.forward)[offset : offset + limit]), offset)
            case Around(player, radius):
                return self._around(player, radius)
            case Named(players):
                cells = self._cells(self.rows.filter(player__external_id__in=players))
                return [row for cell in cells for row in self._placed([cell], self._index(*cell))]

    def _around(self, player: str, radius: int) -> list[Placed]:
        me = self._cells(self.rows.filter(player__external_id=player))
        if not me:
            return []
        member, score = me[0]
        index = self._index(member, score)
        ahead = self._beyond(self._better, member, score).order_by(*self._backward)[:radius]
        behind = self._beyond(self._worse, member, score).order_by(*self.forward)[:radius]
        before = self._cells(ahead)[::-1]
        return self._placed([*before, *me, *self._cells(behind)], index - len(before))

    def _index(self, member: str, score: float) -> int:
        return self._beyond(self._better, member, score).count()

    def _beyond(self, side: str, member: str, score: float) -> QuerySet[Standing]:
        """Rows on one side of a place. The bound on the score alone lets the index start there."""
        strictly = Q(**{f"score__{side}": score}) | Q(**{f"member__{side}": member})
        return self.rows.filter(strictly, **{f"score__{side}e": score})

    def _cells(self, rows: QuerySet[Standing]) -> list[tuple[str, float]]:
        return [(member, score) for member, score in rows.values_list("member", "score") if score is not None]

    def _placed(self, cells: list[tuple[str, float]], offset: int) -> list[Placed]:
        """Ranks for neighbouring cells, the first of which has ``offset`` rows before it."""
        if self.rules.ties not in _SHARING:
            return [Placed(member, score, offset + i + 1, 1, offset + i) for i, (member, score) in enumerate(cells)]
        places = self._shared_places({score for _, score in cells})
        return [Placed(member, score, *places[score]) for member, score in cells]

    def _shared_places(self, scores: Iterable[float]) -> dict[float, tuple[int, int, int]]:
        """Rank, number of sharers and number of players ahead, for scores with none between them."""
        if not (wanted := sorted(scores, reverse=self.rules.order is Order.DESC)):
            return {}
        tied: dict[Any, int] = dict(
            self.rows.filter(score__in=wanted).order_by().values_list("score").annotate(Count("pk"))
        )
        better = self.rows.filter(**{f"score__{self._better}": wanted[0]})
        ahead = better.count()
        dense = self.rules.ties is Ties.DENSE
        rank = 1 + (better.values("score").distinct().count() if dense else ahead)
        places = {}
        for score in wanted:
            places[score] = (rank, tied[score], ahead)
            rank += 1 if dense else tied[score]
            ahead += tied[score]
        return places


def within(span: Span) -> Q:
    """The rows whose score lies in the span."""
    found = Q()
    if span.start is not None:
        found &= Q(score__gte=span.start)
    if span.stop is not None:
        found &= Q(score__lt=span.stop)
    return found
