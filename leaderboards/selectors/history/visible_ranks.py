"""Final ranks as they are shown: behind players who are hidden, others move up.

Only the first ``NEAR`` places of a period are looked at, so that the cost is bounded: somebody behind them keeps the
rank at which the period closed.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from leaderboards.core.ranking.rules import Ties
from leaderboards.models import FinalStanding
from leaderboards.selectors.visibility.restrictions import visible_q

NEAR = 30


class Placed(Protocol):
    """A final standing."""

    period_id: int
    place: int
    rank: int


def shown_ranks(rows: Iterable[Placed]) -> dict[int, int]:
    """Return the shown rank by period (pk) of one visible player's final standings, with at most two statements."""
    stored = {row.period_id: row for row in rows}
    near = [number for number, row in stored.items() if 1 < row.place <= NEAR]
    vacated = _vacated(near) if near else {}
    return {number: row.rank - bisect_left(vacated.get(number, ()), row.rank) for number, row in stored.items()}


def _vacated(periods: Collection[int]) -> Mapping[int, list[int]]:
    """Return by period the ranks of hidden players among the first; a dense one only if nobody visible has it too."""
    first = FinalStanding.objects.filter(period__in=periods, place__lte=NEAR)
    visible = visible_q("period__board", period="period")
    columns = ("period", "rank", "period__rules_json__ties")
    vacated: dict[int, list[int]] = defaultdict(list)
    dense: dict[int, set[int]] = defaultdict(set)
    for period, rank, ties in first.exclude(visible).values_list(*columns):
        if ties == Ties.DENSE:
            dense[period].add(rank)
        else:
            vacated[period].append(rank)
    if dense:
        for period, rank in first.filter(visible, period__in=dense).values_list("period", "rank"):
            dense[period].discard(rank)
    return {period: sorted([*vacated[period], *dense[period]]) for period in {*vacated, *dense}}
