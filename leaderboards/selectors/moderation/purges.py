"""Which submissions a purge covers, and the preview of a purge.

A range selects submissions by their receive time, which callers cannot choose. A baseline (submissions that the
retention compacted into one) is never covered, since it also sums up submissions of other times. Nor are submissions
that were restored by hand after the purge was requested.
The trap: a submission is committed after its receive time, by an import even hours later.
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

BASELINE = "baseline"  # the ``service`` of compacted submissions
PATIENCE_MS = 5000  # SQL timeout for counting a range: no index covers a service key
MOST_REPLAYED = 200_000  # submissions, else rank changes are not computed
IN_FLIGHT_MARGIN = timedelta(minutes=1)  # longer than a request takes, and than clocks differ
MOST_PERIODS = 20  # else rank changes are not computed
_restoring_actions: set[str] = set()


class PurgeRange(NamedTuple):
    """Submissions received from ``from_at`` to before ``until_at``; also of this player, board and key if given.

    ``player`` and ``board`` are internal numbers, ``service`` the name of a service key.
    """

    from_at: datetime
    until_at: datetime
    player: int | None = None
    board: int | None = None
    service: str = ""


class UnaffectedCounts(NamedTuple):
    """How many submissions stay unchanged, by reason: in closed periods, on reserved boards, in competitions that
    accept no change, and others, such as submissions restored since."""

    closed: int = 0
    reserved: int = 0
    events: int = 0
    others: int = 0


class PurgePreview(NamedTuple):
    """How many submissions of how many players change, how many stay, and how ranks change.

    None if SQL did not count in time; ``moves`` also if there are too many submissions or periods.
    """

    submissions: int | None
    players: int | None
    kept: UnaffectedCounts | None
    moves: RankChanges | None


def range_of(purge: Purge) -> PurgeRange:
    """Return the range of a purge."""
    return PurgeRange(purge.from_at, purge.until_at, purge.player_id, purge.board_id, purge.service)


def active_purges_since(at: datetime) -> QuerySet[Purge]:
    """Query the purges that are not undone and had not finished before ``at``.

    Only these can have found a submission void already that something else voided at ``at``.
    """
    return Purge.objects.filter(Q(finished_at=None) | Q(finished_at__gte=at), undo_asked_at=None).order_by("pk")


def covered_by_purge_q(purge: Purge) -> Q:
    """The condition of a submission that the purge covers: in its range, not newer than its ``highest``, and not
    restored by hand since the purge was requested."""
    return in_range_q(range_of(purge)) & Q(pk__lte=purge.highest) & ~restored_since(purge)


def register_restoring_action(act: str) -> None:
    """Register an audit act that restores a submission by hand; may be called twice."""
    _restoring_actions.add(act)


def restored_since(purge: Purge) -> Q:
    """The condition of a submission that was restored by hand since the purge was requested, which overrules it."""
    entries = AuditSubject.objects.filter(kind="purge", key=str(purge.pk))
    requested = entries.aggregate(first=Min("entry"))["first"] or 0
    number = Cast(OuterRef("pk"), CharField())
    later = AuditSubject.objects.filter(kind="submission", key=number, entry__gt=requested)
    return Q(Exists(later.filter(entry__act__in=_restoring_actions)))


def highest_number() -> int:
    """Return the highest pk of a committed submission; 0 without any."""
    return Submission.objects.aggregate(highest=Max("pk"))["highest"] or 0


def is_range_committed(chosen: PurgeRange, at: datetime) -> bool:
    """Return whether no more submissions of the range can be committed: its last requests and its imports are over."""
    imports = ImportRun.objects.filter(kind=ImportKind.SCORES, done_at=None)
    if chosen.board is not None:
        imports = imports.filter(board=chosen.board)
    confirmed = imports.filter(started_at__gte=chosen.from_at, started_at__lt=chosen.until_at)
    return at >= chosen.until_at + IN_FLIGHT_MARGIN and not confirmed.exists()


def in_range_q(chosen: PurgeRange) -> Q:
    """The condition of a submission in the range."""
    inside = Q(created_at__gte=chosen.from_at, created_at__lt=chosen.until_at) & ~Q(service=BASELINE)
    if chosen.player is not None:
        inside &= Q(player=chosen.player)
    if chosen.board is not None:
        inside &= Q(board=chosen.board)
    return inside & Q(service=chosen.service) if chosen.service else inside


def valid_submissions_in(chosen: PurgeRange) -> QuerySet[Submission]:
    """Query the submissions of the range that are not void."""
    return Submission.objects.filter(in_range_q(chosen), voided_at=None)


def can_be_voided() -> Q:
    """The condition of open periods, or competitions (which decide themselves), on boards that are not reserved."""
    is_in_time = Q(period__state=PeriodState.OPEN) | Q(board__period=PeriodKind.EVENT)
    return is_in_time & ~Q(board__in=reserved_boards())


def competitions_of(rows: QuerySet[Submission]) -> list[int]:
    """Return the numbers of these submissions' competitions; empty if SQL did not answer in time."""
    numbers = rows.exclude(competition=0).order_by().values_list("competition", flat=True).distinct()
    return run_with_timeout(lambda: list(numbers), PATIENCE_MS) or []


def preview_purge(chosen: PurgeRange, refused: Collection[int] = ()) -> PurgePreview:
    """Preview purging the range now; ``refused`` are the numbers of the competitions that accept no change."""
    return preview_voiding(in_range_q(chosen), refused)


def preview_voiding(which: Q, refused: Collection[int] = ()) -> PurgePreview:
    """Preview voiding the submissions of this condition now."""
    counting = Submission.objects.filter(voided_at=None)
    return _preview_change(counting.filter(which), counting.exclude(which), refused)


def purged_by(purge: Purge) -> QuerySet[Submission]:
    """Query the submissions that the purge voided."""
    return Submission.objects.filter(purged__purge=purge)


def preview_purge_undo(purge: Purge, refused: Collection[int] = ()) -> PurgePreview:
    """Preview undoing the purge now: how many of its submissions would be restored, and how many stay void.

    Submissions that another purge is about to void too are counted as restored.
    """
    remaining = Submission.objects.filter(Q(voided_at=None) | Q(purged__purge=purge))
    return _preview_change(purged_by(purge), remaining, refused)


def unaffected_by(purge: Purge, refused: Collection[int] = ()) -> UnaffectedCounts | None:
    """Count the submissions of its range that are valid although the purge has passed them; None on an SQL timeout."""
    passed = valid_submissions_in(range_of(purge)).filter(pk__lte=purge.highest)
    return _count_unaffected(passed, refused, passed.filter(_can_change(refused)).count)


def _can_change(refused: Collection[int]) -> Q:
    return can_be_voided() & ~Q(competition__in=refused)


def _count_unaffected(
    rows: QuerySet[Submission], refused: Collection[int], count_others: Callable[[], int] = lambda: 0
) -> UnaffectedCounts | None:
    """Count by reason the rows that cannot be changed; ``count_others`` counts rows unchanged for other reasons."""
    unaffected = rows.order_by().exclude(_can_change(refused))
    reserved, events = Q(board__in=reserved_boards()), Q(board__period=PeriodKind.EVENT)
    by_reason = {"reserved": reserved, "events": events, "closed": ~reserved & ~events}
    counts = {name: Count("pk", filter=condition) for name, condition in by_reason.items()}
    return run_with_timeout(
        lambda: UnaffectedCounts(**unaffected.aggregate(**counts), others=count_others()), PATIENCE_MS
    )


def _preview_change(
    chosen: QuerySet[Submission], remaining: QuerySet[Submission], refused: Collection[int]
) -> PurgePreview:
    """Preview voiding or restoring the ``chosen`` submissions, after which the ``remaining`` ones count."""
    chosen = chosen.order_by()
    changed = chosen.filter(_can_change(refused))
    totals = {"all": Count("pk")} | {f"{name}s": Count(name, distinct=True) for name in ("player", "period")}
    counts = run_with_timeout(lambda: changed.aggregate(**totals), PATIENCE_MS)
    unaffected = _count_unaffected(chosen, refused)
    if counts is None:
        return PurgePreview(None, None, unaffected, None)
    is_small = counts["all"] <= MOST_REPLAYED and counts["periods"] <= MOST_PERIODS
    moves = _sum_rank_changes(remaining, changed) if is_small else None
    return PurgePreview(counts["all"], counts["players"], unaffected, moves)


def _sum_rank_changes(remaining: QuerySet[Submission], changed: QuerySet[Submission]) -> RankChanges | None:
    """Sum the rank changes of all periods; None if there is too much to replay, or on an SQL timeout."""
    pairs = run_with_timeout(lambda: list(changed.values_list("period", "player").distinct()), PATIENCE_MS)
    if not pairs:
        return None if pairs is None else RankChanges()
    by_period: dict[int, set[int]] = defaultdict(set)
    for period, player in pairs:
        by_period[period].add(player)
    of_players = Q()
    for period, players in by_period.items():
        of_players |= Q(period=period, player__in=players)
    replayed = Submission.objects.filter(of_players)[: MOST_REPLAYED + 1]  # void ones too, as an upper bound
    number = run_with_timeout(replayed.count, PATIENCE_MS)
    return None if number is None or number > MOST_REPLAYED else sum_moves(_rank_changes(remaining, by_period))


def _rank_changes(remaining: QuerySet[Submission], by_period: dict[int, set[int]]) -> Iterator[RankChanges]:
    for period in Period.objects.filter(pk__in=by_period).select_related("board"):
        players = by_period[period.pk]
        states = replayed_states(period, remaining.filter(period=period, player__in=players))
        yield moves_in(period, {player: states.get(player) for player in players})
