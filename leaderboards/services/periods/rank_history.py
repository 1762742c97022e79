"""Keeping ranks: every ``RANK_SNAPSHOT_MINUTES`` the best ``RANK_SNAPSHOT_PLAYERS`` of each running period, in SQL.

The period is read as its page reads it, in one question, and not while another would have to stand in for its storage.
One snapshot for each time of the grid, however often this runs; a run that comes late takes the latest, not a backlog.
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

MOST_PLAYERS = 10_000  # whatever is set: of a period with millions only the best are ever read


def record_due_rank_history(at: datetime) -> int:
    """Look at what is due; returns at how many periods. Whose storage cannot answer now is tried again."""
    if not settings.RANK_SNAPSHOT_PLAYERS:
        return 0
    due_at = snapshot_time(at)
    return sum(for_each(_running(due_at, at), lambda period: record_rank_history(period, due_at, at)))


def snapshot_time(at: datetime) -> datetime:
    """The latest time of the grid by ``at``, in UTC."""
    interval = timedelta(minutes=settings.RANK_SNAPSHOT_MINUTES)
    return EPOCH + (at - EPOCH) // interval * interval


def _running(due_at: datetime, at: datetime) -> QuerySet[Period]:
    """Periods that nobody has looked at yet for this time. Competitions keep snapshots of their own."""
    begun = Q(starts_at=None) | Q(starts_at__lt=due_at)
    goes_on = Q(ends_at=None) | Q(ends_at__gt=at)
    running = Period.objects.filter(begun, goes_on, state=PeriodState.OPEN).exclude(board__period=PeriodKind.EVENT)
    return running.exclude(pk__in=PeriodSnapshot.objects.filter(due_at=due_at).values("period")).select_related("board")


def record_rank_history(period: Period, due_at: datetime, at: datetime) -> bool:
    """Keep the best for ``due_at``; False if that was done. Raises ``Unavailable`` where they cannot be read now."""
    reading = _read(period, min(settings.RANK_SNAPSHOT_PLAYERS, MOST_PLAYERS))
    ranks = _ranks(period, reading.answers[0])
    kept = {"taken_at": at, "total": reading.total, "is_whole": len(ranks) == reading.total}
    with transaction.atomic():
        snapshot, made = PeriodSnapshot.objects.get_or_create(period=period, due_at=due_at, defaults=kept)
        if made:
            for rank in ranks:
                rank.snapshot = snapshot
            RankHistoryEntry.objects.bulk_create(ranks)
    return made


def _read(period: Period, most: int) -> QueryResult:
    """Of those who are shown: a rank that counted others too would look like a move of those who are shown."""
    question, out = [Page(0, most)], frozenset(hidden_now(period).values())
    if period.board.storage == Storage.SQL:
        return _without(SqlStore(), out).read(period, question)
    if period.stale_since is not None:
        raise StorageUnavailable("The standings in Redis are being settled.")
    store = _without(ZsetStore(redis.boards()), out)
    return retry_if_stale(period, lambda: store.read(period, question))


def _without(store: Store, out: frozenset[str]) -> Store:
    return ExcludingStore(store, out) if out else store


def _ranks(period: Period, placed: list[RankedRow]) -> list[RankHistoryEntry]:
    """As rows. Whom SQL does not know yet, because it follows Redis, is left out this time."""
    unpacked = [(each.rank, period.layout.unpack(each.score, each.member)) for each in placed]
    players = Player.objects.filter(external_id__in=[found.player for _, found in unpacked])
    numbers = dict(players.values_list("external_id", "pk"))
    return [
        RankHistoryEntry(
            player_id=numbers[found.player],
            rank=rank,
            points=found.value[0] if period.rules.of_points else None,
            fields=None if period.rules.of_points else list(found.value),
        )
        for rank, found in unpacked
        if rank is not None and found.player in numbers
    ]
