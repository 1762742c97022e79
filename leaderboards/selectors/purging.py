"""Which submissions a purge is about, and what it would come to before anybody asks for it.

A submission lies in the range by when it was received, which no caller can choose. What the retention folded into a
baseline lies in none: it sums up submissions of other times too. A purge is not about what somebody restored by hand
since it was asked for. The trap: a submission is committed after it was received, by an import hours after.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import CharField, Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Cast

from foundation.audit.models import AuditSubject
from leaderboards.core.moves import Moves
from leaderboards.core.periods import PeriodKind
from leaderboards.models import ImportKind, ImportRun, Period, Purge, State, Submission
from leaderboards.selectors.amounts import amounts
from leaderboards.selectors.rank_moves import moves_in, sum_of
from leaderboards.stores.sql import patiently

BASELINE = "baseline"  # the service of what the retention folded
PATIENCE_MS = 5000  # for counting a range: of a service key no index tells it
MOST_REPLAYED = 200_000  # submissions, to say what ranks do
UNDER_WAY = timedelta(minutes=1)  # longer than a request is at what it received, and than clocks differ
MOST_PERIODS = 20  # the same: each of them has ranks of its own to work out
_restorings: set[str] = set()


class Range(NamedTuple):
    """Submissions received from ``from_at`` to before ``until_at``, of the player, the board and the key that
    are named (all must hold).

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
    """The condition of being a submission that the purge is about: in its range, there when it looked, and not restored
    by hand since it was asked for."""
    return is_in(range_of(purge)) & Q(pk__lte=purge.highest) & ~restored_since(purge)


def tells_of_restoring(act: str) -> None:
    """Let entries of the audit log of this ``act`` say that somebody restored a submission. Asking twice changes
    nothing."""
    _restorings.add(act)


def restored_since(purge: Purge) -> Q:
    """The condition of having been restored by hand since the purge was asked for, which overrules it."""
    asked = AuditSubject.objects.filter(kind="purge", key=str(purge.pk)).aggregate(first=Min("entry"))["first"] or 0
    number = Cast(OuterRef("pk"), CharField())
    told = AuditSubject.objects.filter(kind="submission", key=number, entry__gt=asked, entry__act__in=_restorings)
    return Q(Exists(told))


def highest_number() -> int:
    """The greatest number of a submission that is committed; 0 without any."""
    return Submission.objects.aggregate(highest=Max("pk"))["highest"] or 0


def is_all_in(chosen: Range, at: datetime) -> bool:
    """Whether all submissions that were received in the range are committed, or never will be: requests that were under
    way as it ended are over, and so is every import that was confirmed in it."""
    imports = ImportRun.objects.filter(kind=ImportKind.SCORES, done_at=None)
    if chosen.board is not None:
        imports = imports.filter(board=chosen.board)
    confirmed = imports.filter(started_at__gte=chosen.from_at, started_at__lt=chosen.until_at)
    return at >= chosen.until_at + UNDER_WAY and not confirmed.exists()


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
    left = Submission.objects.filter(voided_at=None).exclude(is_in(chosen))
    return _foreseen(counting_in(chosen), left)


def foresee_undoing(purge: Purge) -> ForeseenPurge:
    """What undoing the purge would come to now: how many of its submissions would be restored, and how many stay void.

    One that is about to be void by another purge as well is counted among the restored.
    """
    back = Submission.objects.filter(purged__purge=purge)
    return _foreseen(back, Submission.objects.filter(Q(voided_at=None) | Q(purged__purge=purge)))


def _foreseen(concerned: QuerySet[Submission], left: QuerySet[Submission]) -> ForeseenPurge:
    """What comes of changing the submissions that are ``concerned``, once those that are ``left`` count."""
    concerned = concerned.order_by()
    voided = concerned.filter(can_be_voided())
    totals = {"all": Count("pk")} | {f"{name}s": Count(name, distinct=True) for name in ("player", "period")}
    found = patiently(lambda: voided.aggregate(**totals), PATIENCE_MS)
    kept = patiently(lambda: concerned.exclude(can_be_voided()).count(), PATIENCE_MS)
    if found is None:
        return ForeseenPurge(None, None, kept, None)
    is_small = found["all"] <= MOST_REPLAYED and found["periods"] <= MOST_PERIODS
    return ForeseenPurge(found["all"], found["players"], kept, _moves(left, voided) if is_small else None)


def _moves(left: QuerySet[Submission], voided: QuerySet[Submission]) -> Moves | None:
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
    replayed = Submission.objects.filter(theirs)[: MOST_REPLAYED + 1]  # void ones too: a bound, no count
    number = patiently(replayed.count, PATIENCE_MS)
    return None if number is None or number > MOST_REPLAYED else sum_of(_of_each(left, by_period))


def _of_each(left: QuerySet[Submission], by_period: dict[int, set[int]]) -> Iterator[Moves]:
    for period in Period.objects.filter(pk__in=by_period).select_related("board"):
        players = by_period[period.pk]
        states = amounts(period, left.filter(period=period, player__in=players))
        yield moves_in(period, {player: states.get(player) for player in players})
