"""The best players of a period with their ranks, from one SQL statement and so from one moment.

For callers that store the result.
"""

from dataclasses import dataclass
from itertools import islice

from django.db.models import Count, Func, QuerySet, Subquery, Window
from django.db.models.functions import DenseRank, Rank, RowNumber

from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period, Standing
from leaderboards.selectors.exports.period_rows import final_ranking
from leaderboards.selectors.visibility.hidden import hidden_now, keeps_vacated_places

_RANKS: dict[Ties, type[Func]] = {Ties.SHARED: Rank, Ties.DENSE: DenseRank}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranked player; ``points`` are scaled, ``fields`` are in the order of the criteria."""

    player_id: int
    rank: int
    points: int | None
    fields: list[int] | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best rows, and the total number of ranked players."""

    total: int
    rows: list[Ranked]


def ranking(period: Period, most: int) -> Ranking:
    """Rank the ``most`` best of the period, as SQL has it: on a redis board run the mirror first."""
    standings = Standing.objects.filter(period=period, score__isnull=False)
    hidden = set(hidden_now(period))
    visible = standings.exclude(player__in=hidden)
    # If vacated places stay empty, SQL ranks everybody, and hidden players are removed from its rows.
    ranked, extra = (standings, len(hidden)) if hidden and keeps_vacated_places(period) else (visible, 0)
    best_first = ("-score", "-member") if period.rules.order is Order.DESC else ("score", "member")
    by_time = period.rules.ties.by_time
    rank = Window(
        RowNumber() if by_time else _RANKS[period.rules.ties](), order_by=best_first if by_time else best_first[:1]
    )
    rows = list(
        ranked.annotate(rank=rank, total=_total(visible))
        .order_by(*best_first)
        .values_list("player_id", "rank", "points", "fields", "total")[: most + extra]
    )
    total = (rows[0][4] or 0) if rows else 0
    return Ranking(total, [Ranked(*row[:4]) for row in rows if row[0] not in hidden][:most])


def closed_ranking(period: Period, most: int) -> Ranking:
    """Rank the ``most`` best of a final period from its final standings; a freeze's copy of a period has no others."""
    of_points, rows, hidden = period.rules.of_points, [], hidden_now(period)
    for rank, row in islice(final_ranking(period, hidden, keeps_vacated_places(period)), most):
        value = period.layout.unpack(row.score, row.member).value
        rows.append(Ranked(row.player_id, rank, value[0] if of_points else None, None if of_points else [*value]))
    return Ranking(period.players - len(hidden), rows)


def _total(ranked: QuerySet[Standing]) -> Subquery:
    return Subquery(ranked.order_by().values("period").annotate(total=Count("pk")).values("total"))
