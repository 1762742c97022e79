"""Read the rank snapshots of a period for the race chart and for points by day.

Every storage has snapshots (``services/periods/rank_history.py``), so the past is told the same way on all of them:
ranks and points as they were shown. A few snapshots are chosen first, then rows are read by primary key. Results are
cached for a minute per player and shared by all viewers but the shadowed, who see themselves. The time of the latest
snapshot is part of the cache key, so a new snapshot takes effect at once.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count

from foundation import clock
from foundation.db.resilience import SqlAway, StaleIfErrorCache
from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.instants import EPOCH
from leaderboards.core.periods import Calendar, PeriodKind, previous_window, window_at
from leaderboards.core.race import LINES, columns
from leaderboards.core.ranking.rules import Rules, Ties
from leaderboards.errors import BadLabel
from leaderboards.models import Board, PeriodSnapshot, PeriodState, RankHistoryEntry
from leaderboards.selectors.catalog.periods import PeriodInfo
from leaderboards.selectors.history.shadowed_view import rank_seen, ranks_moved_from
from leaderboards.selectors.visibility.restrictions import current_viewer

CACHE_SECONDS = 60.0
MOST_DAYS = 7
STEPS = (1, 2, 5, 10, 15, 30, 60)  # minutes to which the end of the axis is rounded, besides the interval of snapshots
LATE = timedelta(minutes=5)  # how much later than scheduled the first snapshot of a day may be

_PlayerKey = tuple[tuple[int, ...], str, str | None]  # numbers of snapshots, player id, viewer


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A chosen snapshot. If it ``is_whole``, players without a row in it were not ranked then.

    With dense ties, ``above`` has the number of players before each of the first ranks.
    """

    pk: int
    at: datetime
    is_whole: bool
    total: int = 1
    above: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the board's calendar with the snapshot of its start, or None if there is none.

    On the day that ``is_first`` in the period everybody started with nothing.
    """

    starts_at: datetime
    snapshot: Snapshot | None
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class RaceSnapshots:
    """The snapshots to show: ``columns`` of the race before the present, and the last ``days``.

    The time axis ends at ``end``, soon after now (``_end_of_axis``), so that a drawing stays the same until then.
    """

    columns: tuple[Snapshot, ...]
    days: tuple[Day, ...]
    end: datetime

    @property
    def numbers(self) -> tuple[int, ...]:
        """The primary keys of all of them."""
        of_days = (day.snapshot.pk for day in self.days if day.snapshot)
        return tuple(sorted({*(snapshot.pk for snapshot in self.columns), *of_days}))


@dataclass(frozen=True, slots=True)
class PlayerHistory:
    """A player's ranks and points (scaled) by snapshot; snapshots without the player are missing."""

    ranks: dict[int, int]
    points: dict[int, int | None]


NO_HISTORY = PlayerHistory({}, {})


def race_snapshots(board: Board, period: PeriodInfo, rules: Rules, since: datetime | None) -> RaceSnapshots | None:
    """Choose snapshots of the period, whose latest was taken at ``since``. None if there are none or SQL is away."""
    if board.is_event or period.state == PeriodState.EXPIRED:
        return None
    with suppress(SqlAway):
        chosen = _snapshots.get(_SnapshotsKey(board.seq, period, board.calendar, rules.ties, since, current_viewer()))
        return chosen if chosen and (chosen.columns or chosen.days) else None
    return None


def player_histories(snapshots: RaceSnapshots, players: Collection[str]) -> dict[str, PlayerHistory] | None:
    """Ranks and points of each of ``players`` in the snapshots. None if SQL is away."""
    numbers = snapshots.numbers
    with suppress(SqlAway):
        histories = _histories.get_many([(numbers, player, current_viewer()) for player in players])
        return {player: history for (_, player, _), history in histories.items()}
    return None


def clear_race_cache() -> None:
    """Empty the caches."""
    _snapshots.forget()
    _histories.forget()


@dataclass(frozen=True, slots=True)
class _SnapshotsKey:
    board: int
    period: PeriodInfo
    calendar: Calendar
    ties: Ties
    since: datetime | None
    viewer: str | None


def _load_snapshots(keys: Collection[_SnapshotsKey]) -> dict[_SnapshotsKey, RaceSnapshots]:
    return {key: _choose(key, clock.now()) for key in keys}


def _choose(key: _SnapshotsKey, now: datetime) -> RaceSnapshots:
    period = key.period
    rows = PeriodSnapshot.objects.filter(period__board=key.board, period__label=period.label).order_by("due_at")
    every = [Snapshot(*row) for row in rows.values_list("pk", "taken_at", "is_whole", "total")]
    last = min(now, period.ends_at) if period.ends_at else now
    moved = ranks_moved_from([each.pk for each in every])
    usable = [each for each in every if (each.total or each.pk in moved) and each.at < last]
    end = _end_of_axis(period, usable[0].at if usable else now, now)
    chosen = [usable[nth] for nth in columns([each.at for each in usable], end)]
    if key.ties is Ties.DENSE:
        counts = _players_by_rank(chosen)
        chosen = [replace(each, above=players_above(counts[each.pk])) for each in chosen]
    return RaceSnapshots(tuple(chosen), tuple(_days(key, every, last)), end)


def _end_of_axis(period: PeriodInfo, first: datetime, now: datetime) -> datetime:
    """Round up by a step that is small against the time since the ``first`` snapshot: the future takes little room.

    It is still to come when what is cached goes.
    """
    interval = timedelta(minutes=sunwi_settings.RANK_SNAPSHOT_MINUTES)
    steps = [timedelta(minutes=each) for each in STEPS if timedelta(minutes=each) < interval] + [interval]
    step = max((each for each in steps if each <= (now - first) / 8), default=steps[0])
    following = EPOCH + ((now + timedelta(seconds=CACHE_SECONDS) - EPOCH) // step + 1) * step
    return min(following, period.ends_at) if period.ends_at else following


def _days(key: _SnapshotsKey, snapshots: Sequence[Snapshot], last: datetime) -> Iterator[Day]:
    """The last days of the period up to ``last``, the earliest first. None for periods of one day."""
    if key.calendar.kind is PeriodKind.DAY or _is_within_a_day(key):
        return
    interval = timedelta(minutes=sunwi_settings.RANK_SNAPSHOT_MINUTES)
    for starts_at in _day_starts(key, last):
        is_first = key.period.starts_at is not None and starts_at <= key.period.starts_at
        latest = starts_at + interval + LATE
        snapshot = next((each for each in snapshots if starts_at <= each.at < latest), None)
        yield Day(starts_at, None if is_first else snapshot, is_first)


def _is_within_a_day(key: _SnapshotsKey) -> bool:
    starts_at, ends_at = key.period.starts_at, key.period.ends_at
    is_scheduled = key.calendar.kind is PeriodKind.SCHEDULE
    return is_scheduled and starts_at is not None and ends_at is not None and ends_at - starts_at <= timedelta(days=1)


def _day_starts(key: _SnapshotsKey, last: datetime) -> list[datetime]:
    by_day = replace(key.calendar, kind=PeriodKind.DAY)
    begun = key.period.starts_at
    starts: list[datetime] = []
    with suppress(BadLabel):  # before the first year
        window = window_at(by_day, last - timedelta(microseconds=1))
        while window.starts_at is not None and len(starts) < MOST_DAYS:
            starts.append(window.starts_at)
            if begun is not None and window.starts_at <= begun:
                break
            window = previous_window(by_day, window)
    return starts[::-1]


def _players_by_rank(snapshots: Sequence[Snapshot]) -> dict[int, Counter[int]]:
    """By snapshot, the number of players at each of the first ranks, as the viewer sees them."""
    numbers = [each.pk for each in snapshots]
    entries = RankHistoryEntry.objects.filter(snapshot__in=numbers, rank__lte=LINES)
    of_others = entries.filter(moves_from=None).values_list("snapshot", "rank").annotate(players=Count("player"))
    own = entries.filter(moves_from__isnull=False, player__external_id=current_viewer() or "")
    moved = ranks_moved_from(numbers)
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for snapshot, rank, players in of_others:
        counts[snapshot][rank_seen(rank, "", moved.get(snapshot))] += players
    for snapshot, rank in own.values_list("snapshot", "rank"):
        counts[snapshot][rank] += 1
    return counts


def players_above(counts: Mapping[int, int]) -> dict[int, int]:
    """The number of players before each rank, up to the one after the last."""
    above = {1: 0}
    for rank in range(1, LINES + 1):
        above[rank + 1] = above[rank] + counts.get(rank, 0)
    return above


def _load_histories(keys: Collection[_PlayerKey]) -> dict[_PlayerKey, PlayerHistory]:
    players: dict[tuple[int, ...], set[str]] = defaultdict(set)
    for numbers, player, _ in keys:
        players[numbers].add(player)
    histories = {key: PlayerHistory({}, {}) for key in keys}
    for numbers, ids in players.items():
        entries = RankHistoryEntry.objects.filter(snapshot__in=numbers, player__external_id__in=ids)
        moved = ranks_moved_from(numbers)
        for player, snapshot, rank, points in entries.values_list("player__external_id", "snapshot", "rank", "points"):
            history = histories[numbers, player, current_viewer()]
            history.ranks[snapshot] = rank_seen(rank, player, moved.get(snapshot))
            history.points[snapshot] = points
    return histories


_snapshots: StaleIfErrorCache[_SnapshotsKey, RaceSnapshots] = StaleIfErrorCache(_load_snapshots, fresh=CACHE_SECONDS)
_histories: StaleIfErrorCache[_PlayerKey, PlayerHistory] = StaleIfErrorCache(_load_histories, fresh=CACHE_SECONDS)
