"""Count the histogram of a period in SQL, in one pass over its scores, and see whether it has many players at all."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, QuerySet, Window
from django.db.models.functions import Rank, RowNumber

from leaderboards.core.ranking.histogram import Edge, Histogram, places_of_edges
from leaderboards.models import Period, Standing
from leaderboards.stores.sql.reads import run_with_timeout, snapshot_transaction


def has_players(period: Period, least: int) -> bool:
    """Whether at least so many players (1 or more) are ranked; no more rows are read than that."""
    return _rows(period)[least - 1 : least].exists()


def count_histogram(period: Period, timeout_ms: int) -> Histogram | None:
    """Count the players at the edges' places, of one moment; None if a statement takes longer than ``timeout_ms``."""
    with snapshot_transaction():
        total = run_with_timeout(_rows(period).order_by().count, timeout_ms)
        if not total:
            return None if total is None else Histogram(0, ())
        edges = run_with_timeout(lambda: _edges(period, places_of_edges(total, period.rules.order)), timeout_ms)
    return None if edges is None else Histogram.of(total, edges)


def _rows(period: Period) -> QuerySet[Standing]:
    return Standing.objects.filter(period=period, score__isnull=False).order_by("score")


def _edges(period: Period, places: Sequence[int]) -> list[Edge]:
    by_score: dict[str, Any] = {"order_by": "score"}
    rows = _rows(period).annotate(
        place=Window(RowNumber(), **by_score),
        first=Window(Rank(), **by_score),
        up_to=Window(Count("pk"), **by_score),  # the rows with at most this score: equals are in one frame
    )
    found = rows.filter(place__in=[place + 1 for place in places]).values_list("score", "first", "up_to")
    return [Edge(float(score or 0), first - 1, up_to - first + 1) for score, first, up_to in found]
