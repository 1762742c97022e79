"""Final standings: written once, in one statement; hashed; and read by index.

The hash covers rank, internal player number and score, so that it stays valid when a name is erased. They have their
own table, because adding ranks to a million rows in place took over ten times as long (decision 0005).
"""

import hashlib
from collections.abc import Collection, Sequence

from django.db import connection
from django.db.models import Count, F, Min, Q, QuerySet

from foundation.db.resilience import long_transaction
from leaderboards.core.ranking.gaps import Gap
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import FinalStanding, Period
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
    split_at_gap,
)
from leaderboards.stores.sql.reads import in_score_range

CHUNK = 5000
# "+ 0" keeps PostgreSQL from reading the rows through the index of scores: reading and sorting the whole table takes
# two thirds of the time.
_PLACE = "row_number() OVER (ORDER BY score + 0 {0}, member {0})"
_RANK = {
    Ties.FIRST_COME: _PLACE,
    Ties.LAST_COME: _PLACE,
    Ties.SHARED: "rank() OVER (ORDER BY score + 0 {0})",
    Ties.DENSE: "dense_rank() OVER (ORDER BY score + 0 {0})",
}


def write_final_standings(period: Period, copy: Period | None = None) -> int:
    """Write the final standings of a period, for the period itself or for a ``copy`` of it; returns how many.

    A copy has no standings, so its rows get their metadata too.

    Call it in the transaction that makes the period or the copy final.
    """
    direction = "DESC" if period.rules.order is Order.DESC else "ASC"
    with long_transaction(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO leaderboards_finalstanding (period_id, place, rank, player_id, member, score, metadata)"
            f" SELECT %s, {_PLACE.format(direction)}, {_RANK[period.rules.ties].format(direction)},"
            f" player_id, member, score, {'NULL' if copy is None else 'metadata'}"
            " FROM leaderboards_standing WHERE period_id = %s AND score IS NOT NULL",
            [(copy or period).pk, period.pk],
        )
        return int(cursor.rowcount)


def content_hash(period: Period) -> str:
    """Return the SHA-256 of the lines ``rank,player number,score`` in the order of places, as hex."""
    rows = FinalStanding.objects.filter(period=period).order_by("place").values_list("rank", "player_id", "score")
    digest = hashlib.sha256()
    for rank, player_id, score in rows.iterator(chunk_size=CHUNK):
        digest.update(hashed_line(rank, player_id, score))
    return digest.hexdigest()


def hashed_line(rank: int, player_id: int, score: float) -> bytes:
    """Return a row as it enters the hash."""
    return f"{rank},{player_id},{score!r}\n".encode()


class FinalStore:
    """Reads the standings of a final period."""

    def read(self, period: Period, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries."""
        return QueryResult(period.players, [self._answer(period, query) for query in queries])

    def quantiles(self, period: Period, shares: Sequence[int]) -> Quantiles:
        """Return the rows at these shares of the ranking, in thousandths from the best."""
        if not period.players:
            return Quantiles(0, [])
        places = [min(period.players * share // 1000, period.players - 1) + 1 for share in shares]
        by_place = {row.place: row for row in _rows(period).filter(place__in=set(places))}
        return Quantiles(period.players, [(by_place[place].member, by_place[place].score) for place in places])

    def counts(self, period: Period, ranges: Sequence[ScoreRange]) -> list[int]:
        """Count the players in each range of scores."""
        counts = {f"n{index}": Count("player", filter=in_score_range(each)) for index, each in enumerate(ranges)}
        by_name = _rows(period).aggregate(**counts)
        return [by_name[name] for name in counts]

    def scores(self, period: Period, players: Sequence[str]) -> dict[str, float]:
        """Return the scores of those of these players who are ranked."""
        return dict(_rows(period).filter(player__external_id__in=players).values_list("player__external_id", "score"))

    def _answer(self, period: Period, query: Query) -> list[RankedRow]:
        rows = _rows(period).order_by("place")
        match query:
            case Page(offset, limit):
                return _to_ranked(period, rows.filter(place__gt=offset, place__lte=offset + limit))
            case Around(player, radius):
                me = rows.filter(player__external_id=player).first()
                if me is None:
                    return []
                return _to_ranked(period, rows.filter(place__gte=me.place - radius, place__lte=me.place + radius))
            case AroundGap(gap, ahead, behind):
                place = _rows_before(period, gap)
                return _to_ranked(period, rows.filter(place__gt=place - ahead, place__lte=place + behind))
            case ForPlayers(players):
                return _to_ranked(period, rows.filter(player__external_id__in=players))


def _rows(period: Period) -> QuerySet[FinalStanding]:
    return FinalStanding.objects.filter(period=period)


def _rows_before(period: Period, gap: Gap) -> int:
    """Return the number of rows before a gap.

    As a rule the player still stands where the gap was told; else the place is found by halving, each half by its key.
    """
    packed = pack_gap(period, gap)
    there = _rows(period).filter(player__external_id=gap.player, member=packed.member, score=packed.score).first()
    if there is not None:
        return there.place if gap.is_after else there.place - 1
    low, high = 0, period.players
    while low < high:
        middle = (low + high) // 2
        row = _rows(period).filter(place__gt=middle).order_by("place").first()
        if row is None:
            high = middle
            continue
        before, _ = split_at_gap(period, gap, [RankedRow(row.member, row.score, None, None, None)])
        low, high = (row.place, high) if before else (low, middle)
    return low


def _to_ranked(period: Period, queryset: QuerySet[FinalStanding]) -> list[RankedRow]:
    rows = list(queryset)
    if period.rules.ties.by_time:
        return [RankedRow(row.member, row.score, row.rank, 1, row.place - 1) for row in rows]
    shared = _shared_ranks(period, {row.rank for row in rows})
    return [RankedRow(row.member, row.score, row.rank, shared[row.rank][0], shared[row.rank][1] - 1) for row in rows]


def _shared_ranks(period: Period, ranks: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return by rank the number of players that share it, and the place of the first of them.

    A rank is at most its place. The rows with rank < place are found by a partial index, the others by their place.
    """
    below, at = Q(rank__in=ranks, rank__lt=F("place")), Q(place__in=ranks, rank=F("place"))
    rows = _rows(period).filter(below | at).values_list("rank")
    return {rank: (tied, first) for rank, tied, first in rows.annotate(Count("player"), Min("place"))}
