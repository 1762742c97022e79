"""Which submissions a purge is about, and what it would come to before anybody asks for it.

A submission lies in the range by when it was received, which no caller can choose. What the retention folded into a
baseline lies in none: it sums up submissions of other times too.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from leaderboards.core.moves import Moves
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Period, Purge, State, Submission
from leaderboards.selectors.amounts import amounts
from leaderboards.selectors.rank_moves import moves_in, sum_of
from leaderboards.stores.sql import patiently

BASELINE = "baseline"  # the service of what the retention folded
PATIENCE_MS = 5000  # for counting a range: of a service key no index tells it
MOST_REPLAYED = 200_000  # submissions, to say what ranks do
MOST_PERIODS = 20  # the same: each of them has ranks of its own to work out


class Range(NamedTuple):
    """Submissions received from ``from_at`` to before ``until_at``, of whoever and wherever is named (all must hold).

    ``player`` and ``board`` are internal numbers, ``service`` the name of a service key.
    """

    from_at: datetime
    until_at: datetime
    player: int | None = None
    board: int | None = None
    service: str = ""


class ForeseenPurge(NamedTuple):
    """How many submissions would be voided, of how many players; how many would stay; and what ranks do.

    None where SQL had no time to count; ``moves`` also where there are too many to work out.
    """

    submissions: int | None
    players: int | None
    kept: int | None
    moves: Moves | None


def range_of(purge: Purge) -> Range:
    """The range of a purge."""
    return Range(purge.from_at, purge.until_at, purge.player_id, purge.board_id, purge.service)


def standing_since(at: datetime) -> QuerySet[Purge]:
    """The purges that stand and were not through before this moment: what they are about was void already when they
    came to it, if something else has it void since then."""
    return Purge.objects.filter(Q(finished_at=None) | Q(finished_at__gte=at), undo_asked_at=None).order_by("pk")


def is_about(purge: Purge) -> Q:
    """The condition of being a submission that the purge is about: in its range, and there when it was asked for."""
    return is_in(range_of(purge)) & Q(pk__lte=purge.highest)


def is_in(chosen: Range) -> Q:
    """The condition of lying in the range."""
    inside = Q(created_at__gte=chosen.from_at, created_at__lt=chosen.until_at) & ~Q(service=BASELINE)
    if chosen.player is not None:
        inside &= Q(player=chosen.player)
    if chosen.board is not None:
        inside &= Q(board=chosen.board)
    return inside & Q(service=chosen.service) if chosen.service else inside


def counting_in(chosen: Range) -> QuerySet[Submission]:
    """The submissions of the range that are not void."""
    return Submission.objects.filter(is_in(chosen), voided_at=None)


def can_be_voided() -> Q:
    """Those of open periods; and those of competitions, which say themselves whether it is too late."""
    return Q(period__state=State.OPEN) | Q(board__period=PeriodKind.EVENT)


def foresee_purge(chosen: Range) -> ForeseenPurge:
    """What purging the range would come to now."""
    counting = counting_in(chosen).order_by()
    voided = counting.filter(can_be_voided())
    totals = {"all": Count("pk")} | {f"{name}s": Count(name, distinct=True) for name in ("player", "period")}
    found = patiently(lambda: voided.aggregate(**totals), PATIENCE_MS)
    kept = patiently(lambda: counting.exclude(can_be_voided()).count(), PATIENCE_MS)
    if found is None:
        return ForeseenPurge(None, None, kept, None)
    is_small = found["all"] <= MOST_REPLAYED and found["periods"] <= MOST_PERIODS
    return ForeseenPurge(found["all"], found["players"], kept, _moves(chosen, voided) if is_small else None)


def _moves(chosen: Range, voided: QuerySet[Submission]) -> Moves | None:
    """What ranks do; None where too much would have to be added up anew, or SQL had no time to look."""
    pairs = patiently(lambda: list(voided.values_list("period", "player").distinct()), PATIENCE_MS)
    if not pairs:
        return None if pairs is None else Moves()
    by_period: dict[int, set[int]] = defaultdict(set)
    for period, player in pairs:
        by_period[period].add(player)
    theirs = Q()
    for period, players in by_period.items():
        theirs |= Q(period=period, player__in=players)
    replayed = Submission.objects.filter(theirs, voided_at=None)[: MOST_REPLAYED + 1]
    number = patiently(replayed.count, PATIENCE_MS)
    return None if number is None or number > MOST_REPLAYED else sum_of(_of_each(chosen, by_period))


def _of_each(chosen: Range, by_period: dict[int, set[int]]) -> Iterator[Moves]:
    for period in Period.objects.filter(pk__in=by_period).select_related("board"):
        players = by_period[period.pk]
        left = Submission.objects.filter(period=period, player__in=players, voided_at=None).exclude(is_in(chosen))
        states = amounts(period, left)
        yield moves_in(period, {player: states.get(player) for player in players})
