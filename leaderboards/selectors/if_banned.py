"""What leaving players out of running boards comes to, or showing them again, before it is done.

Counted in SQL, one standing at a time; all others are taken as they stand now. Of events the apps above tell.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from django.db.models import Q, QuerySet

from leaderboards.core.periods import PeriodKind
from leaderboards.core.rules import Order, Ties
from leaderboards.models import Period, Standing, State
from leaderboards.selectors.foreseen import PATIENCE_MS, rank_if_shown
from leaderboards.selectors.hidden import hidden_now
from leaderboards.stores.sql import patiently

MOST_RANKED = 20  # standings whose place is counted, and periods: a look at the page asks SQL for each


@dataclass(frozen=True, slots=True)
class Moved:
    """How many first places go to others, and how many ranks of others change; ``is_all`` unless there was more to
    count than time or ``MOST_RANKED`` allow."""

    firsts: int = 0
    ranks: int = 0
    is_all: bool = True


@dataclass(frozen=True, slots=True)
class OnBoards:
    """On how many running boards the players stand, and their places there, the best first.

    ``standings`` are all of theirs, of which ``places`` tells those that SQL had time to count.
    """

    boards: int
    standings: int
    places: list[int]
    moved: Moved = field(default_factory=Moved)


def on_boards(players: Collection[int], board: int | None = None, *, banned: bool = True) -> OnBoards:
    """Where these players (by internal number) stand, or would stand if they were let in, on boards of a calendar:
    on one of them, by its number, or on all. ``banned`` says that they are to be left out, else let in."""
    rows = Standing.objects.filter(player__in=players, score__isnull=False, period__state=State.OPEN)
    rows = rows.exclude(period__board__period=PeriodKind.EVENT).order_by()
    if board is not None:
        rows = rows.filter(period__board=board)
    ranked = rows.select_related("player", "period__board").order_by("-period", "player")[:MOST_RANKED]
    found = [rank for row in ranked if (rank := rank_if_shown(row)) is not None]
    boards = rows.values("period__board").distinct().count()
    return OnBoards(boards, rows.count(), sorted(found), _moved(players, rows, banned=banned))


def _moved(players: Collection[int], rows: QuerySet[Standing], *, banned: bool) -> Moved:
    periods = Period.objects.filter(pk__in=rows.values("period")).select_related("board").order_by("-pk")
    several = list(periods[: MOST_RANKED + 1])
    counted = [_moved_in(period, players, banned=banned) for period in several[:MOST_RANKED]]
    known = [each for each in counted if each is not None]
    is_all = len(several) <= MOST_RANKED and len(known) == len(counted)
    return Moved(sum(is_first for is_first, _ in known), sum(ranks for _, ranks in known), is_all)


def _moved_in(period: Period, players: Collection[int], *, banned: bool) -> tuple[bool, int] | None:
    """Whether the first place of a period goes to somebody else, and how many ranks of others change; None without
    time to count."""
    best = "score" if period.rules.order is Order.ASC else "-score"
    theirs = Standing.objects.filter(period=period, player__in=players, score__isnull=False)
    others = Standing.objects.filter(period=period, score__isnull=False).order_by()
    out = hidden_now(period)
    others = others.exclude(player__in=[*players, *out])
    if banned:  # nothing moves for those who are not shown as it is
        theirs = theirs.exclude(player__in=out)
    held = list(theirs.order_by(best, best.replace("score", "member"))[:MOST_RANKED])
    if period.rules.ties is Ties.DENSE:  # nobody moves up for one of several equals
        held = [row for row in held if not others.filter(score=row.score).exists()]
    if not held:
        return False, 0
    behind = patiently(others.filter(_behind(period, held[0])).count, PATIENCE_MS)
    if behind is None:
        return None
    return behind > 0 and not others.exclude(_behind(period, held[0])).exists(), behind


def _behind(period: Period, row: Standing) -> Q:
    worse = "lt" if period.rules.order is Order.DESC else "gt"
    behind = Q(**{f"score__{worse}": row.score})
    if period.rules.ties.by_time:
        behind |= Q(**{"score": row.score, f"member__{worse}": row.member})
    return behind
