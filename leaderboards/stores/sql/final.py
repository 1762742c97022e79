"""Final standings: written once, in one statement, by the period's tie rule; hashed; and read by index.

The hash covers rank, internal player number and score, so that erasing a name leaves it valid. A table
of its own, because giving a million rows a rank in place took over ten times as long
(docs/decisions/0005).
"""

import hashlib
from collections.abc import Collection, Sequence

from django.db import connection
from django.db.models import Count, F, Min, Q, QuerySet

from foundation.db.resilience import long_transaction
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import FinalStanding, Period
from leaderboards.stores.base import Around, ForPlayers, Page, Quantiles, Query, QueryResult, RankedRow, ScoreRange
from leaderboards.stores.sql.reads import in_score_range

CHUNK = 5000
# "+ 0" keeps PostgreSQL from fetching every row through the index of scores, in an order that is none of the
# table's: to read the table and sort it takes two thirds of the time.
_PLACE = "row_number() OVER (ORDER BY score + 0 {0}, member {0})"
_RANK = {
    Ties.FIRST_COME: _PLACE,
    Ties.LAST_COME: _PLACE,
    Ties.SHARED: "rank() OVER (ORDER BY score + 0 {0})",
    Ties.DENSE: "dense_rank() OVER (ORDER BY score + 0 {0})",
}


def write_final_standings(period: Period, copy: Period | None = None) -> int:
    """Give every ranked standing its final place, in the period or in a ``copy`` of it; returns how many.

    Call it in the transaction that makes the one or the other final.
    """
    direction = "DESC" if period.rules.order is Order.DESC else "ASC"
    with long_transaction(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO leaderboards_finalstanding (period_id, place, rank, player_id, member, score)"
            f" SELECT %s, {_PLACE.format(direction)}, {_RANK[period.rules.ties].format(direction)},"
            " player_id, member, score"
            " FROM leaderboards_standing WHERE period_id = %s AND score IS NOT NULL",
            [(copy or period).pk, period.pk],
        )
        return int(cursor.rowcount)


def content_hash(period: Period) -> str:
    """SHA-256 over the lines ``rank,player number,score`` in the order of places."""
    rows = FinalStanding.objects.filter(period=period).order_by("place").values_list("rank", "player_id", "score")
    digest = hashlib.sha256()
    for rank, player_id, score in rows.iterator(chunk_size=CHUNK):
        digest.update(hashed_line(rank, player_id, score))
    return digest.hexdigest()


def hashed_line(rank: int, player_id: int, score: float) -> bytes:
    """A row as the hash holds it."""
    return f"{rank},{player_id},{score!r}\n".encode()


class FinalStore:
    """A final period's standings."""

    def read(self, period: Period, questions: Sequence[Query]) -> QueryResult:
        """Answer all questions; nothing moves any more, so any moment is the same."""
        return QueryResult(period.players, [self._answer(period, question) for question in questions])

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """The rows at shares of the field, in thousandths from the best."""
        if not period.players:
            return Quantiles(0, [])
        places = [min(period.players * share // 1000, period.players - 1) + 1 for share in shares]
        found = {row.place: row for row in _rows(period).filter(place__in=set(places))}
        return Quantiles(period.players, [(found[place].member, found[place].score) for place in places])

    def counts(self, period: Period, spans: Sequence[ScoreRange]) -> list[int]:
        """How many players each span of scores holds."""
        counted = {f"n{index}": Count("player", filter=in_score_range(span)) for index, span in enumerate(spans)}
        found = _rows(period).aggregate(**counted)
        return [found[f"n{index}"] for index in range(len(spans))]

    def _answer(self, period: Period, question: Query) -> list[RankedRow]:
        rows = _rows(period).order_by("place")
        match question:
            case Page(offset, limit):
                return _placed(period, rows.filter(place__gt=offset, place__lte=offset + limit))
            case Around(player, radius):
                me = rows.filter(player__external_id=player).first()
                if me is None:
                    return []
                return _placed(period, rows.filter(place__gte=me.place - radius, place__lte=me.place + radius))
            case ForPlayers(players):
                return _placed(period, rows.filter(player__external_id__in=players))


def _rows(period: Period) -> QuerySet[FinalStanding]:
    return FinalStanding.objects.filter(period=period)


def _placed(period: Period, rows: QuerySet[FinalStanding]) -> list[RankedRow]:
    found = list(rows)
    if period.rules.ties.by_time:
        return [RankedRow(row.member, row.score, row.rank, 1, row.place - 1) for row in found]
    equals = _equals(period, {row.rank for row in found})
    return [RankedRow(row.member, row.score, row.rank, equals[row.rank][0], equals[row.rank][1] - 1) for row in found]


def _equals(period: Period, ranks: Collection[int]) -> dict[int, tuple[int, int]]:
    """By rank how many share it, and the first one's place.

    A rank is never greater than its place, so the rows of these ranks are those that the index of ranks below
    their places holds, and those that stand at these very places.
    """
    below, at = Q(rank__in=ranks, rank__lt=F("place")), Q(place__in=ranks, rank=F("place"))
    rows = _rows(period).filter(below | at).values_list("rank")
    return {rank: (tied, first) for rank, tied, first in rows.annotate(Count("player"), Min("place"))}
