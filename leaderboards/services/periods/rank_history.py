"""Record the rank history: every ``RANK_SNAPSHOT_MINUTES`` the best ``RANK_SNAPSHOT_PLAYERS`` of each running period.

A snapshot is one read of the period's own storage; if that is unavailable, the snapshot is taken later. There is one
snapshot per time of the grid, however often this runs, and a late run takes only the latest one.

Hidden players are left out, or hiding a player would look like moves of others. Shadowed players, who see themselves,
have an entry with the rank that they see.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings
from foundation.worker.each import for_each
from leaderboards.core.instants import EPOCH
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.rules import Ties
from leaderboards.errors import StorageUnavailable
from leaderboards.models import IN_REDIS, Period, PeriodSnapshot, PeriodState, Player, RankHistoryEntry
from leaderboards.models.snapshots import BELOW_ALL
from leaderboards.selectors.rankings.store_routing import live_store, retry_if_stale
from leaderboards.selectors.visibility.hidden import hidden_and_shadowed_now
from leaderboards.stores.base import Page, Query, QueryResult, RankedRow
from leaderboards.stores.excluding import ExcludingStore, row_without

MOST_PLAYERS = 10_000  # upper bound of the setting


def record_due_rank_history(at: datetime) -> int:
    """Record the ranks of every due period; returns how many. Unavailable ones wait for the next run."""
    if not sunwi_settings.RANK_SNAPSHOT_PLAYERS:
        return 0
    due_at = snapshot_time(at)
    return sum(for_each(_running(due_at, at), lambda period: record_rank_history(period, due_at, at)))


def snapshot_time(at: datetime) -> datetime:
    """Return the latest time of the grid that is not after ``at``."""
    interval = timedelta(minutes=sunwi_settings.RANK_SNAPSHOT_MINUTES)
    return EPOCH + (at - EPOCH) // interval * interval


def _running(due_at: datetime, at: datetime) -> QuerySet[Period]:
    """Return the running periods without a snapshot for this time. Competitions have snapshots of their own."""
    has_begun = Q(starts_at=None) | Q(starts_at__lt=due_at)
    goes_on = Q(ends_at=None) | Q(ends_at__gt=at)
    running = Period.objects.filter(has_begun, goes_on, state=PeriodState.OPEN).exclude(board__period=PeriodKind.EVENT)
    return running.exclude(pk__in=PeriodSnapshot.objects.filter(due_at=due_at).values("period")).select_related("board")


def record_rank_history(period: Period, due_at: datetime, at: datetime) -> bool:
    """Record the best ranks for ``due_at``; False if there is a snapshot already. Raises ``Unavailable``."""
    limit = min(sunwi_settings.RANK_SNAPSHOT_PLAYERS, MOST_PLAYERS)
    result, of_shadowed = _read_best(period, limit)
    entries = _to_entries(period, result.answers[0])
    values = {"taken_at": at, "total": result.total, "is_whole": len(entries) == result.total}
    with transaction.atomic():
        snapshot, created = PeriodSnapshot.objects.get_or_create(period=period, due_at=due_at, defaults=values)
        if created:
            entries += _to_entries(period, of_shadowed, are_shadowed=True)
            for entry in entries:
                entry.snapshot = snapshot
            RankHistoryEntry.objects.bulk_create(entries)
    return created


def _read_best(period: Period, limit: int) -> tuple[QueryResult, list[RankedRow]]:
    """Read the best shown players, and the row of each shadowed player as they see it, all from one moment."""
    hidden, shadowed = hidden_and_shadowed_now(period)
    if period.board.storage in IN_REDIS and period.is_stale:
        raise StorageUnavailable(Message("The standings in Redis are being brought up to date."))
    store = live_store(period)
    queries: list[Query] = [Page(0, limit)]
    if not hidden:
        return _complete(retry_if_stale(period, lambda: store.read(period, queries))), []
    shown = ExcludingStore(store, hidden)
    wide = _complete(retry_if_stale(period, lambda: store.read(period, shown.widen(queries))))
    rows = wide.answers[-1]  # of the hidden
    own = [row for row in rows if period.layout.player_of(row.member) in shadowed]
    seen = [row_without(period, row, [each for each in rows if each != row]) for row in own]
    return shown.narrow(period, queries, wide), [row for row in seen if row.rank is not None and row.rank <= limit]


def _complete(result: QueryResult) -> QueryResult:
    if not result.complete:
        raise StorageUnavailable(Message("A part of the standings in Redis is away."))
    return result


def _to_entries(period: Period, rows: list[RankedRow], *, are_shadowed: bool = False) -> list[RankHistoryEntry]:
    """Convert rows. Players that are not mirrored to SQL yet are omitted."""
    unpacked = [(row, period.layout.unpack(row.score, row.member)) for row in rows]
    players = Player.objects.filter(external_id__in=[standing.player for _, standing in unpacked])
    player_ids = dict(players.values_list("external_id", "pk"))
    return [
        RankHistoryEntry(
            player_id=player_ids[standing.player],
            rank=row.rank,
            points=standing.value[0] if period.rules.of_points else None,
            fields=None if period.rules.of_points else list(standing.value),
            moves_from=_moves_from(period.rules.ties, row) if are_shadowed else None,
        )
        for row, standing in unpacked
        if row.rank is not None and standing.player in player_ids
    ]


def _moves_from(ties: Ties, row: RankedRow) -> int:
    """Return the rank from which the others stand one lower in the view of the player of ``row``."""
    if ties.by_time or row.tied == 1:
        return row.rank or BELOW_ALL
    return BELOW_ALL if ties is Ties.DENSE else (row.rank or 0) + 1
