"""Preview hiding players on boards, or showing them again, in running periods and in final ones.

Counted in SQL, one standing at a time, as if all others stayed the same. Event boards are not included: competitions
preview their own events.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import OVER_STATES, FinalStanding, Period, PeriodState, Standing, Storage
from leaderboards.selectors.previews.rank_moves import sum_moves
from leaderboards.selectors.previews.submissions import PATIENCE_MS, rank_if_visible
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.stores.sql.reads import run_with_timeout

MOST_RANKED = 20  # standings whose rank is counted, and periods: the page needs one SQL statement for each
_Row = TypeVar("_Row", Standing, FinalStanding)


@dataclass(frozen=True, slots=True)
class ExclusionPreview:
    """The players' standings: ``standings`` in running periods of ``boards`` boards, ``finals`` in final periods.

    ``places`` are their ranks in running periods, the best first, as far as SQL counted them in time. Rank changes
    (``moved``, ``moved_finals``) that are not exact are lower bounds: the timeout or ``MOST_RANKED`` was reached, or
    players stand in DynamoDB, of which nothing is counted.
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
    """Preview hiding (``banned``) or showing these players (by internal number), everywhere or on one board or period.

    Events are not included. Players hidden in a single period stay hidden there when they are shown on boards; only
    the preview of that period shows them.
    """
    periods = Period.objects.exclude(board__period=PeriodKind.EVENT)
    if board is not None:
        periods = periods.filter(board=board)
    if period is not None:
        periods = periods.filter(pk=period)
    skips_period_restrictions = not banned and period is None
    changes = (
        ~Q(Exists(active_restrictions().filter(player=OuterRef("player"), period=OuterRef("period"))))
        if skips_period_restrictions
        else Q()
    )

    def affected_players(there: Period) -> list[int]:
        if not skips_period_restrictions:
            return [*players]
        still_hidden = set(active_restrictions().filter(period=there).values_list("player", flat=True))
        return [each for each in players if each not in still_hidden]

    rows = Standing.objects.filter(changes, player__in=players, score__isnull=False).order_by()
    rows = rows.filter(period__in=periods.filter(state=PeriodState.OPEN))
    latest = rows.select_related("player", "period__board").order_by("-period", "player")[:MOST_RANKED]
    ranks = [rank for row in latest if (rank := rank_if_visible(row)) is not None]
    running = Period.objects.filter(pk__in=rows.values("period"))
    over = periods.filter(state__in=OVER_STATES)
    uncounted = Standing.objects.filter(player__in=players, period__in=periods.filter(state=PeriodState.OPEN))
    is_counted = not uncounted.filter(period__board__storage=Storage.DYNAMODB).exists()
    moved = _sum_changes(running, lambda each: _changes_in_running(each, affected_players(each), banned=banned))
    final_rows = FinalStanding.objects.filter(changes, player__in=players, period__in=over).order_by()
    final = Period.objects.filter(pk__in=final_rows.values("period"))
    return ExclusionPreview(
        rows.values("period__board").distinct().count(),
        rows.count(),
        sorted(ranks),
        moved._replace(is_exact=moved.is_exact and is_counted),
        final.count(),
        _sum_changes(final, lambda each: _changes_in_final(each, affected_players(each), banned=banned)),
    )


def _sum_changes(periods: QuerySet[Period], count: Callable[[Period], RankChanges | None]) -> RankChanges:
    """Sum the rank changes of the latest ``MOST_RANKED`` periods; not exact if there are more, or on an SQL timeout."""
    latest = list(periods.select_related("board").order_by("-pk")[: MOST_RANKED + 1])
    counted = [count(period) for period in latest[:MOST_RANKED]]
    known = [each for each in counted if each is not None]
    total = sum_moves(known)
    is_all = len(latest) <= MOST_RANKED and len(known) == len(counted)
    return RankChanges(total.firsts, total.ranks, is_all)


def _changes_in_running(period: Period, players: Collection[int], *, banned: bool) -> RankChanges | None:
    """Count the rank changes of a running period; None on an SQL timeout."""
    best = "score" if period.rules.order is Order.ASC else "-score"
    own, others = _split_rows(Standing.objects.filter(period=period, score__isnull=False), period, players, banned)
    first = own.order_by(best, best.replace("score", "member")).first()
    if first is None:
        return RankChanges()
    moved_from: Standing | None = first
    if period.rules.ties is Ties.DENSE:  # others only move if no one else has the same dense rank
        ranked = own.order_by(best, best.replace("score", "member"))[:MOST_RANKED]
        moved_from = next((row for row in ranked if not others.filter(score=row.score).exists()), None)
    if moved_from is None:
        behind: int | None = 0
    else:
        behind = run_with_timeout(others.filter(_behind(period, moved_from)).count, PATIENCE_MS)
    if behind is None:
        return None
    return RankChanges(int(not others.filter(_ahead(period, first)).exists()), behind + own.count())


def _changes_in_final(period: Period, players: Collection[int], *, banned: bool) -> RankChanges | None:
    """Count the rank changes of a final period, whose rows have their places already; None on an SQL timeout."""
    own, others = _split_rows(FinalStanding.objects.filter(period=period), period, players, banned)
    first = own.order_by("place").first()
    if first is None:
        return RankChanges()
    moved_from: FinalStanding | None = first
    if period.rules.ties is Ties.DENSE:
        ranked = own.order_by("place")[:MOST_RANKED]
        moved_from = next((row for row in ranked if not others.filter(rank=row.rank).exists()), None)
    if moved_from is None:
        behind: int | None = 0
    else:  # no rank is greater than its place
        behind_rows = others.filter(place__gt=moved_from.rank, rank__gt=moved_from.rank)
        behind = run_with_timeout(behind_rows.count, PATIENCE_MS)
    if behind is None:
        return None
    return RankChanges(int(not others.filter(rank__lt=first.rank).exists()), behind + own.count())


def _split_rows(
    rows: QuerySet[_Row], period: Period, players: Collection[int], banned: bool
) -> tuple[QuerySet[_Row], QuerySet[_Row]]:
    """Return the rows of these players that change visibility, and the visible rows of all others."""
    hidden: list[int] = list(hidden_now(period))
    own = rows.filter(player__in=players).order_by()
    if banned:  # players who are hidden already change nothing
        own = own.exclude(player__in=hidden)
    return own, rows.exclude(player__in=[*players, *hidden]).order_by()


def _behind(period: Period, row: Standing) -> Q:
    return _beyond(period, row, "lt" if period.rules.order is Order.DESC else "gt")


def _ahead(period: Period, row: Standing) -> Q:
    return _beyond(period, row, "gt" if period.rules.order is Order.DESC else "lt")


def _beyond(period: Period, row: Standing, side: str) -> Q:
    beyond = Q(**{f"score__{side}": row.score})
    if period.rules.ties.by_time:
        beyond |= Q(**{"score": row.score, f"member__{side}": row.member})
    return beyond
