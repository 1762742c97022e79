"""The best of a period with their ranks, from one SQL statement and so from one moment. For those who keep them."""

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
    """A player in their place; ``points`` scaled, or ``fields`` in the order of the criteria."""

    player_id: int
    rank: int
    points: int | None
    fields: list[int] | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best rows, and how many players are ranked in all."""

    total: int
    rows: list[Ranked]


def ranking(period: Period, most: int) -> Ranking:
    """The ``most`` best of the period, as SQL has it: on a redis board run the mirror first."""
    everybody = Standing.objects.filter(period=period, score__isnull=False)
    out = set(hidden_now(period))
    shown = everybody.exclude(player__in=out)
    # Where places stay empty everybody is ranked, and those who are not shown are taken out afterwards.
    ranked, more = (everybody, len(out)) if out and keeps_vacated_places(period) else (shown, 0)
    down = period.rules.order is Order.DESC
    forward = ("-score", "-member") if down else ("score", "member")
    by_time = period.rules.ties.by_time
    rank = Window(RowNumber() if by_time else _RANKS[period.rules.ties](), order_by=forward if by_time else forward[:1])
    found = list(
        ranked.annotate(rank=rank, total=_total(shown))
        .order_by(*forward)
        .values_list("player_id", "rank", "points", "fields", "total")[: most + more]
    )
    rows = [Ranked(*row[:4]) for row in found if row[0] not in out]
    return Ranking((found[0][4] or 0) if found else 0, rows[:most])


def closed_ranking(period: Period, most: int) -> Ranking:
    """The same of a final period, from its final standings, which are all that the copy of a freeze has."""
    of_points, rows, out = period.rules.of_points, [], hidden_now(period)
    for rank, row in islice(final_ranking(period, out, keeps_vacated_places(period)), most):
        value = period.layout.unpack(row.score, row.member).value
        rows.append(Ranked(row.player_id, rank, value[0] if of_points else None, None if of_points else [*value]))
    return Ranking(period.players - len(out), rows)


def _total(ranked: QuerySet[Standing]) -> Subquery:
    return Subquery(ranked.order_by().values("period").annotate(total=Count("pk")).values("total"))
