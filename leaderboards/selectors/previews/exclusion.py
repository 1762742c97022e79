"""What leaving players out of boards comes to, or showing them again, before it is done: in periods that run, and in
final ones, which hide them too.

Counted in SQL, one standing at a time; all others are taken as they stand now. Of events the apps above tell.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import FinalStanding, Period, PeriodState, Standing
from leaderboards.selectors.previews.rank_moves import sum_moves
from leaderboards.selectors.previews.submissions import PATIENCE_MS, rank_if_visible
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.stores.sql.reads import run_with_timeout

MOST_RANKED = 20  # standings whose place is counted, and periods: a look at the page asks SQL for each
_OVER = (PeriodState.FINAL, PeriodState.EXPIRED)
_Row = TypeVar("_Row", Standing, FinalStanding)


@dataclass(frozen=True, slots=True)
class ExclusionPreview:
    """On how many running boards the players stand, and their places there, the best first; in how many final periods
    they stand; and what moves in either.

    ``standings`` are all that run of theirs, of which ``places`` tells those that SQL had time to count. Moves that
    are not exact are the least: there was more to count than time or ``MOST_RANKED`` allow.
    """

    boards: int
    standings: int
    places: list[int]
    moved: RankChanges = field(default_factory=RankChanges)
    finals: int = 0
    moved_finals: RankChanges = field(default_factory=RankChanges)


def preview_exclusion(
    players: Collection[int], board: int | None = None, period: int | None = None, *, banned: bool = True
) -> ExclusionPreview:
    """Where these players (by internal number) stand, or would stand if they were let in, on boards of a calendar:
    on one of them, by its number, or on all, or in one period alone, by its number. ``banned`` says that they are to be
    left out, else let in. What is hidden in single periods moves by a look at that period alone."""
    periods = Period.objects.exclude(board__period=PeriodKind.EVENT)
    if board is not None:
        periods = periods.filter(board=board)
    if period is not None:
        periods = periods.filter(pk=period)
    stays_out = not banned and period is None
    own = (
        ~Q(Exists(active_restrictions().filter(player=OuterRef("player"), period=OuterRef("period"))))
        if stays_out
        else Q()
    )

    def concerned(there: Period) -> list[int]:
        out = set(active_restrictions().filter(period=there).values_list("player", flat=True)) if stays_out else ()
        return [each for each in players if each not in out]

    rows = Standing.objects.filter(own, player__in=players, score__isnull=False).order_by()
    rows = rows.filter(period__in=periods.filter(state=PeriodState.OPEN))
    ranked = rows.select_related("player", "period__board").order_by("-period", "player")[:MOST_RANKED]
    found = [rank for row in ranked if (rank := rank_if_visible(row)) is not None]
    live = Period.objects.filter(pk__in=rows.values("period"))
    over = FinalStanding.objects.filter(own, player__in=players, period__in=periods.filter(state__in=_OVER)).order_by()
    final = Period.objects.filter(pk__in=over.values("period"))
    return ExclusionPreview(
        rows.values("period__board").distinct().count(),
        rows.count(),
        sorted(found),
        _summed(live, lambda each: _moved_in(each, concerned(each), banned=banned)),
        final.count(),
        _summed(final, lambda each: _moved_in_final(each, concerned(each), banned=banned)),
    )


def _summed(periods: QuerySet[Period], count: Callable[[Period], RankChanges | None]) -> RankChanges:
    """Of all periods; of the latest where there are many, and of those that SQL had time to count."""
    several = list(periods.select_related("board").order_by("-pk")[: MOST_RANKED + 1])
    counted = [count(period) for period in several[:MOST_RANKED]]
    known = [each for each in counted if each is not None]
    total = sum_moves(known)
    is_all = len(several) <= MOST_RANKED and len(known) == len(counted)
    return RankChanges(total.firsts, total.ranks, is_all)


def _moved_in(period: Period, players: Collection[int], *, banned: bool) -> RankChanges | None:
    """What moves in a period that runs; None without time to count."""
    best = "score" if period.rules.order is Order.ASC else "-score"
    theirs, others = _parted(Standing.objects.filter(period=period, score__isnull=False), period, players, banned)
    first = theirs.order_by(best, best.replace("score", "member")).first()
    if first is None:
        return RankChanges()
    held: Standing | None = first
    if period.rules.ties is Ties.DENSE:  # nobody moves up for one of several equals
        ranked = theirs.order_by(best, best.replace("score", "member"))[:MOST_RANKED]
        held = next((row for row in ranked if not others.filter(score=row.score).exists()), None)
    behind = 0 if held is None else run_with_timeout(others.filter(_behind(period, held)).count, PATIENCE_MS)
    if behind is None:
        return None
    return RankChanges(int(not others.filter(_ahead(period, first)).exists()), behind + theirs.count())


def _moved_in_final(period: Period, players: Collection[int], *, banned: bool) -> RankChanges | None:
    """The same of a final period, whose rows have their places already."""
    theirs, others = _parted(FinalStanding.objects.filter(period=period), period, players, banned)
    first = theirs.order_by("place").first()
    if first is None:
        return RankChanges()
    held: FinalStanding | None = first
    if period.rules.ties is Ties.DENSE:
        ranked = theirs.order_by("place")[:MOST_RANKED]
        held = next((row for row in ranked if not others.filter(rank=row.rank).exists()), None)
    if held is None:
        behind: int | None = 0
    else:  # no rank is greater than its place
        behind = run_with_timeout(others.filter(place__gt=held.rank, rank__gt=held.rank).count, PATIENCE_MS)
    if behind is None:
        return None
    return RankChanges(int(not others.filter(rank__lt=first.rank).exists()), behind + theirs.count())


def _parted(
    rows: QuerySet[_Row], period: Period, players: Collection[int], banned: bool
) -> tuple[QuerySet[_Row], QuerySet[_Row]]:
    """The rows of these players that are shown, or would be if they were let in, and those of all others."""
    out: list[int] = list(hidden_now(period))
    theirs = rows.filter(player__in=players).order_by()
    if banned:  # nothing moves for those who are not shown as it is
        theirs = theirs.exclude(player__in=out)
    return theirs, rows.exclude(player__in=[*players, *out]).order_by()


def _behind(period: Period, row: Standing) -> Q:
    return _beyond(period, row, "lt" if period.rules.order is Order.DESC else "gt")


def _ahead(period: Period, row: Standing) -> Q:
    return _beyond(period, row, "gt" if period.rules.order is Order.DESC else "lt")


def _beyond(period: Period, row: Standing, side: str) -> Q:
    beyond = Q(**{f"score__{side}": row.score})
    if period.rules.ties.by_time:
        beyond |= Q(**{"score": row.score, f"member__{side}": row.member})
    return beyond
