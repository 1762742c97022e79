"""What a ban, or the end of one, comes to on running boards, before it is done.

Counted in SQL, one standing at a time; all others are taken as they stand now. Of events the apps above tell.
"""

from collections.abc import Collection
from dataclasses import dataclass

from leaderboards.core.periods import PeriodKind
from leaderboards.models import Standing, State
from leaderboards.selectors.foreseen import rank_if_shown

MOST_RANKED = 20  # standings whose place is counted: a look at the page asks SQL for each


@dataclass(frozen=True, slots=True)
class OnBoards:
    """On how many running boards the players stand, and their places there, the best first.

    ``standings`` are all of theirs, of which ``places`` tells those that SQL had time to count.
    """

    boards: int
    standings: int
    places: list[int]


def on_boards(players: Collection[int]) -> OnBoards:
    """Where these players (by internal number) stand, or would stand if they were let in, on boards of a calendar."""
    rows = Standing.objects.filter(player__in=players, score__isnull=False, period__state=State.OPEN)
    rows = rows.exclude(period__board__period=PeriodKind.EVENT).order_by()
    ranked = rows.select_related("player", "period__board").order_by("-period", "player")[:MOST_RANKED]
    found = [rank for row in ranked if (rank := rank_if_shown(row)) is not None]
    return OnBoards(rows.values("period__board").distinct().count(), rows.count(), sorted(found))
