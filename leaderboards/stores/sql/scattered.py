"""Ranks of rows that need not be consecutive, such as those of named players.

Best first, each is counted from the one before. So all counts together read each row ahead of the last one once, and
where time runs out the best still have their ranks.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.db.models import Count, IntegerField, Q, QuerySet, Value

from leaderboards.core.ranking.rules import Order, Rules, Ties
from leaderboards.models import Standing

Cell = tuple[str, float]  # member and score
Ranks = dict[Cell, tuple[int, int, int]]  # rank, tied, ahead
RunInTime = Callable[[Callable[[], Any]], Any]

AT_ONCE = 100  # counts in one statement where nothing limits the time; SQLite takes 500


def beyond(side: str, member: str, score: float, inclusive: bool = False) -> Q:
    """Return the condition of the rows on one side of a row (``gt``, ``lt``), or with it if ``inclusive``.

    The condition on the score alone makes use of the index.
    """
    strictly = Q(**{f"score__{side}": score}) | Q(**{f"member__{side}{'e' * inclusive}": member})
    return strictly & Q(**{f"score__{side}e": score})


def count_scattered_ranks(
    rows: QuerySet[Standing], rules: Rules, cells: Sequence[Cell], run_in_time: RunInTime, is_limited: bool
) -> Ranks:
    """Count the ranks of ``cells``, of which those that are missing ran out of time.

    ``is_limited`` says whether ``run_in_time`` may return None: then each count is a statement of its own.
    """
    best_first = sorted(cells, key=lambda cell: (cell[1], cell[0]), reverse=rules.order is Order.DESC)
    better, worse = ("gt", "lt") if rules.order is Order.DESC else ("lt", "gt")
    if rules.ties.by_time:
        between = [beyond(better, *cell) for cell in best_first]
        between[1:] = [beyond(worse, *cell) & ahead for cell, ahead in zip(best_first, between[1:], strict=False)]
        counted = _count_between(rows, between, run_in_time, is_limited)
        ranks, ahead = Ranks(), 0
        for cell, (players, _) in zip(best_first, counted, strict=False):
            ahead += players
            ranks[cell] = (ahead + 1, 1, ahead)
            ahead += 1
        return ranks
    scores = list(dict.fromkeys(score for _, score in best_first))
    per_score = rows.filter(score__in=scores).order_by().values_list("score").annotate(Count("pk"))
    tied: dict[Any, int] | None = run_in_time(lambda: dict(per_score))
    if tied is None:
        return {}
    is_dense = rules.ties is Ties.DENSE
    between = [Q(**{f"score__{better}": score}) for score in scores]
    between[1:] = [Q(**{f"score__{worse}": score}) & ahead for score, ahead in zip(scores, between[1:], strict=False)]
    places, ahead, distinct = {}, 0, 0
    counted = _count_between(rows, between, run_in_time, is_limited, is_dense)
    for score, (players, scores_between) in zip(scores, counted, strict=False):
        ahead, distinct = ahead + players, distinct + scores_between
        places[score] = (1 + (distinct if is_dense else ahead), tied[score], ahead)
        ahead, distinct = ahead + tied[score], distinct + 1
    return {cell: places[cell[1]] for cell in best_first if cell[1] in places}


def _count_between(
    rows: QuerySet[Standing], between: Sequence[Q], run_in_time: RunInTime, is_limited: bool, is_dense: bool = False
) -> list[tuple[int, int]]:
    """Count the rows, and if ``is_dense`` their distinct scores, of each of these conditions, until time runs out."""
    size, found = 1 if is_limited else AT_ONCE, list[tuple[int, int]]()
    for first in range(0, len(between), size):
        some = [
            _counting(rows.filter(each), number, is_dense) for number, each in enumerate(between[first : first + size])
        ]
        counted = run_in_time(partial(sorted, some[0].union(*some[1:], all=True)))
        if counted is None:
            break
        found += [(players, distinct) for _, players, distinct in counted]
    return found


def _counting(rows: QuerySet[Standing], number: int, is_dense: bool) -> QuerySet[Standing, Any]:
    numbered = rows.order_by().values(number=Value(number, output_field=IntegerField()))
    players = Count("*")
    return numbered.annotate(
        players=players, distinct=Count("score", distinct=True) if is_dense else players
    ).values_list("number", "players", "distinct")
