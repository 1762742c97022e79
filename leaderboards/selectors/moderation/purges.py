"""Which submissions a purge is about, and what it would come to before anybody asks for it.

A submission lies in the range by when it was received, which no caller can choose. What the retention folded into a
baseline lies in none: it sums up submissions of other times too. A purge is not about what somebody restored by hand
since it was asked for. The trap: a submission is committed after it was received, by an import hours after.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import CharField, Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Cast

from foundation.audit.models import AuditSubject
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.models import ImportKind, ImportRun, Period, PeriodState, Purge, Submission
from leaderboards.selectors.catalog.reserved import reserved_boards
from leaderboards.selectors.moderation.replay import replayed_states
from leaderboards.selectors.previews.rank_moves import moves_in, sum_moves
from leaderboards.stores.sql.reads import run_with_timeout

BASELINE = "baseline"  # the service of what the retention folded
PATIENCE_MS = 5000  # for counting a range: of a service key no index tells it
MOST_REPLAYED = 200_000  # submissions, to say what ranks do
IN_FLIGHT_MARGIN = timedelta(minutes=1)  # longer than a request is at what it received, and than clocks differ
MOST_PERIODS = 20  # the same: each of them has ranks of its own to work out
_restorings: set[str] = set()


class PurgeRange(NamedTuple):
    """Submissions received from ``from_at`` to before ``until_at``, of the player, the board and the key that
    are named (all must hold).

    ``player`` and ``board`` are internal numbers, ``service`` the name of a service key.
    """

    from_at: datetime
    until_at: datetime
    player: int | None = None
    board: int | None = None
    service: str = ""


class UnaffectedCounts(NamedTuple):
    """How many submissions stay as they are, by why: in closed periods of a calendar, on boards that an app above
    writes, in competitions that take nothing back; and for what else there is, such as having been restored since."""

    closed: int = 0
    reserved: int = 0
    events: int = 0
    others: int = 0


class PurgePreview(NamedTuple):
    """How many submissions would be voided, of how many players; how many would stay; and what ranks do.

    None where SQL had no time to count; ``moves`` also where there are too many to work out.
    """

    submissions: int | None
    players: int | None
    kept: UnaffectedCounts | None
    moves: RankChanges | None


def range_of(purge: Purge) -> PurgeRange:
    """The range of a purge."""
    return PurgeRange(purge.from_at, purge.until_at, purge.player_id, purge.board_id, purge.service)


def active_purges_since(at: datetime) -> QuerySet[Purge]:
    """The purges that stand and were not through before this moment: what they are about was void already when they
    came to it, if something else has it void since then."""
    return Purge.objects.filter(Q(finished_at=None) | Q(finished_at__gte=at), undo_asked_at=None).order_by("pk")


def covered_by_purge_q(purge: Purge) -> Q:
    """The condition of being a submission that the purge is about: in its range, there when it looked, and not restored
    by hand since it was asked for."""
    return in_range_q(range_of(purge)) & Q(pk__lte=purge.highest) & ~restored_since(purge)


def register_restoring_action(act: str) -> None:
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


def is_range_committed(chosen: PurgeRange, at: datetime) -> bool:
    """Whether all submissions that were received in the range are committed, or never will be: requests that were under
    way as it ended are over, and so is every import that was confirmed in it."""
    imports = ImportRun.objects.filter(kind=ImportKind.SCORES, done_at=None)
    if chosen.board is not None:
        imports = imports.filter(board=chosen.board)
    confirmed = imports.filter(started_at__gte=chosen.from_at, started_at__lt=chosen.until_at)
    return at >= chosen.until_at + IN_FLIGHT_MARGIN and not confirmed.exists()


def in_range_q(chosen: PurgeRange) -> Q:
    """The condition of lying in the range."""
    inside = Q(created_at__gte=chosen.from_at, created_at__lt=chosen.until_at) & ~Q(service=BASELINE)
    if chosen.player is not None:
        inside &= Q(player=chosen.player)
    if chosen.board is not None:
        inside &= Q(board=chosen.board)
    return inside & Q(service=chosen.service) if chosen.service else inside


def valid_submissions_in(chosen: PurgeRange) -> QuerySet[Submission]:
    """The submissions of the range that are not void."""
    return Submission.objects.filter(in_range_q(chosen), voided_at=None)


def can_be_voided() -> Q:
    """Those of open periods that no app above writes; and those of competitions, which say themselves whether it is too
    late."""
    is_in_time = Q(period__state=PeriodState.OPEN) | Q(board__period=PeriodKind.EVENT)
    return is_in_time & ~Q(board__in=reserved_boards())


def competitions_of(rows: QuerySet[Submission]) -> list[int]:
    """The competitions that these submissions are of, by number; none where SQL had no time to look."""
    numbers = rows.exclude(competition=0).order_by().values_list("competition", flat=True).distinct()
    return run_with_timeout(lambda: list(numbers), PATIENCE_MS) or []


def preview_purge(chosen: PurgeRange, refused: Collection[int] = ()) -> PurgePreview:
    """What purging the range would come to now; ``refused`` are the competitions, by number, that take nothing back."""
    return preview_voiding(in_range_q(chosen), refused)


def preview_voiding(which: Q, refused: Collection[int] = ()) -> PurgePreview:
    """What voiding the submissions of this condition would come to now."""
    counting = Submission.objects.filter(voided_at=None)
    return _foreseen(counting.filter(which), counting.exclude(which), refused)


def purged_by(purge: Purge) -> QuerySet[Submission]:
    """The submissions that are void because of it."""
    return Submission.objects.filter(purged__purge=purge)


def preview_purge_undo(purge: Purge, refused: Collection[int] = ()) -> PurgePreview:
    """What undoing the purge would come to now: how many of its submissions would be restored, and how many stay void.

    One that is about to be void by another purge as well is counted among the restored.
    """
    left = Submission.objects.filter(Q(voided_at=None) | Q(purged__purge=purge))
    return _foreseen(purged_by(purge), left, refused)


def unaffected_by(purge: Purge, refused: Collection[int] = ()) -> UnaffectedCounts | None:
    """Which submissions of its range count although the purge has looked at them; None where SQL had no time."""
    seen = valid_submissions_in(range_of(purge)).filter(pk__lte=purge.highest)
    return _kept(seen, refused, seen.filter(_can_change(refused)).count)


def _can_change(refused: Collection[int]) -> Q:
    return can_be_voided() & ~Q(competition__in=refused)


def _kept(
    rows: QuerySet[Submission], refused: Collection[int], others: Callable[[], int] = lambda: 0
) -> UnaffectedCounts | None:
    """How many of these stay, by why; ``others`` counts those that stay although they could be changed."""
    stay = rows.order_by().exclude(_can_change(refused))
    reserved, events = Q(board__in=reserved_boards()), Q(board__period=PeriodKind.EVENT)
    by_why = {"reserved": reserved, "events": events, "closed": ~reserved & ~events}
    counts = {name: Count("pk", filter=why) for name, why in by_why.items()}
    return run_with_timeout(lambda: UnaffectedCounts(**stay.aggregate(**counts), others=others()), PATIENCE_MS)


def _foreseen(concerned: QuerySet[Submission], left: QuerySet[Submission], refused: Collection[int]) -> PurgePreview:
    """What comes of changing the submissions that are ``concerned``, once those that are ``left`` count."""
    concerned = concerned.order_by()
    voided = concerned.filter(_can_change(refused))
    totals = {"all": Count("pk")} | {f"{name}s": Count(name, distinct=True) for name in ("player", "period")}
    found = run_with_timeout(lambda: voided.aggregate(**totals), PATIENCE_MS)
    kept = _kept(concerned, refused)
    if found is None:
        return PurgePreview(None, None, kept, None)
    is_small = found["all"] <= MOST_REPLAYED and found["periods"] <= MOST_PERIODS
    return PurgePreview(found["all"], found["players"], kept, _moves(left, voided) if is_small else None)


def _moves(left: QuerySet[Submission], voided: QuerySet[Submission]) -> RankChanges | None:
    """What ranks do; None where too much would have to be added up anew, or SQL had no time to look."""
    pairs = run_with_timeout(lambda: list(voided.values_list("period", "player").distinct()), PATIENCE_MS)
    if not pairs:
        return None if pairs is None else RankChanges()
    by_period: dict[int, set[int]] = defaultdict(set)
    for period, player in pairs:
        by_period[period].add(player)
    theirs = Q()
    for period, players in by_period.items():
        theirs |= Q(period=period, player__in=players)
    replayed = Submission.objects.filter(theirs)[: MOST_REPLAYED + 1]  # void ones too: a bound, no count
    number = run_with_timeout(replayed.count, PATIENCE_MS)
    return None if number is None or number > MOST_REPLAYED else sum_moves(_of_each(left, by_period))


def _of_each(left: QuerySet[Submission], by_period: dict[int, set[int]]) -> Iterator[RankChanges]:
    for period in Period.objects.filter(pk__in=by_period).select_related("board"):
        players = by_period[period.pk]
        states = replayed_states(period, left.filter(period=period, player__in=players))
        yield moves_in(period, {player: states.get(player) for player in players})
