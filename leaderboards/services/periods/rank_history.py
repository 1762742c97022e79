"""Record the rank history: every ``RANK_SNAPSHOT_MINUTES`` the best ``RANK_SNAPSHOT_PLAYERS`` of each running period.

A snapshot is one read of the period's own storage; if that is unavailable, the snapshot is taken later. There is one
snapshot per time of the grid, however often this runs, and a late run takes only the latest one.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from foundation.redis import client as redis
from foundation.worker.each import for_each
from leaderboards.core.instants import EPOCH
from leaderboards.core.periods import PeriodKind
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, PeriodSnapshot, PeriodState, Player, RankHistoryEntry, Storage
from leaderboards.selectors.rankings.store_routing import retry_if_stale
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.stores.base import Page, QueryResult, RankedRow, Store
from leaderboards.stores.excluding import ExcludingStore
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.sql.reads import SqlStore

MOST_PLAYERS = 10_000  # upper bound of the setting


def record_due_rank_history(at: datetime) -> int:
    """Record the ranks of every due period; returns how many. Unavailable ones wait for the next run."""
    if not settings.RANK_SNAPSHOT_PLAYERS:
        return 0
    due_at = snapshot_time(at)
    return sum(for_each(_running(due_at, at), lambda period: record_rank_history(period, due_at, at)))


def snapshot_time(at: datetime) -> datetime:
    """Return the latest time of the grid that is not after ``at``."""
    interval = timedelta(minutes=settings.RANK_SNAPSHOT_MINUTES)
    return EPOCH + (at - EPOCH) // interval * interval


def _running(due_at: datetime, at: datetime) -> QuerySet[Period]:
    """Return the running periods without a snapshot for this time. Competitions have snapshots of their own."""
    has_begun = Q(starts_at=None) | Q(starts_at__lt=due_at)
    goes_on = Q(ends_at=None) | Q(ends_at__gt=at)
    running = Period.objects.filter(has_begun, goes_on, state=PeriodState.OPEN).exclude(board__period=PeriodKind.EVENT)
    return running.exclude(pk__in=PeriodSnapshot.objects.filter(due_at=due_at).values("period")).select_related("board")


def record_rank_history(period: Period, due_at: datetime, at: datetime) -> bool:
    """Record the best ranks for ``due_at``; False if there is a snapshot already. Raises ``Unavailable``."""
    result = _read_best(period, min(settings.RANK_SNAPSHOT_PLAYERS, MOST_PLAYERS))
    entries = _to_entries(period, result.answers[0])
    values = {"taken_at": at, "total": result.total, "is_whole": len(entries) == result.total}
    with transaction.atomic():
        snapshot, created = PeriodSnapshot.objects.get_or_create(period=period, due_at=due_at, defaults=values)
        if created:
            for entry in entries:
                entry.snapshot = snapshot
            RankHistoryEntry.objects.bulk_create(entries)
    return created


def _read_best(period: Period, limit: int) -> QueryResult:
    """Read the best shown players. Hidden ones are excluded, or hiding a player would look like moves of others."""
    queries, hidden = [Page(0, limit)], frozenset(hidden_now(period).values())
    if period.board.storage == Storage.SQL:
        return _exclude(SqlStore(), hidden).read(period, queries)
    if period.stale_since is not None:
        raise StorageUnavailable("The standings in Redis are being settled.")
    store = _exclude(ZsetStore(redis.boards()), hidden)
    return retry_if_stale(period, lambda: store.read(period, queries))


def _exclude(store: Store, hidden: frozenset[str]) -> Store:
    return ExcludingStore(store, hidden) if hidden else store


def _to_entries(period: Period, rows: list[RankedRow]) -> list[RankHistoryEntry]:
    """Convert rows. Players that are not mirrored to SQL yet are omitted."""
    unpacked = [(row.rank, period.layout.unpack(row.score, row.member)) for row in rows]
    players = Player.objects.filter(external_id__in=[standing.player for _, standing in unpacked])
    player_ids = dict(players.values_list("external_id", "pk"))
    return [
        RankHistoryEntry(
            player_id=player_ids[standing.player],
            rank=rank,
            points=standing.value[0] if period.rules.of_points else None,
            fields=None if period.rules.of_points else list(standing.value),
        )
        for rank, standing in unpacked
        if rank is not None and standing.player in player_ids
    ]
