"""Where players stood at the last look at running periods: what the first page needs for movement and overtaking.

Cached for a minute by player and shared by all viewers but the shadowed, who see themselves. A minute is enough,
because looks are taken once an hour (``services/periods/rank_history.py``). Players below the best that a look keeps
have no rank in it.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from foundation.db.resilience import SqlAway, StaleIfErrorCache
from leaderboards.models import PeriodSnapshot, RankHistoryEntry
from leaderboards.selectors.history.shadowed_view import rank_seen, snapshots_seen
from leaderboards.selectors.visibility.restrictions import current_viewer

CACHE_SECONDS = 60.0

_Period = tuple[int, str]  # number of the board, label
_Key = tuple[_Period, str, str | None]  # period, player id, viewer


@dataclass(frozen=True, slots=True)
class RankThen:
    """A player's rank at the last look, which was taken at ``since``; None if they had none or it was not kept.

    ``is_whole`` if the look kept everybody: then None means that the player was not ranked.
    """

    since: datetime
    rank: int | None
    is_whole: bool


def ranks_lately(asked: Collection[tuple[int, str, str]]) -> dict[tuple[int, str, str], RankThen]:
    """Return the ranks at the last look for each (board number, period label, player id) that is asked for.

    Periods that nobody has looked at yet are left out; empty while SQL is away. Two statements at most, however many
    are asked for, and none for a minute after that.
    """
    viewer = current_viewer()
    keys: list[_Key] = [((board, label), player, viewer) for board, label, player in asked]
    with suppress(SqlAway):
        found = _lately.get_many(keys)
        return {(*period, player): then for (period, player, _), then in found.items() if then is not None}
    return {}


def _load(keys: Collection[_Key]) -> dict[_Key, RankThen | None]:
    lasts = _last_snapshots({period for period, _, _ in keys})
    ids = {player for _, player, _ in keys} | {current_viewer() or ""}
    ranks: dict[tuple[int, str], int] = {}
    moved: dict[int, int] = {}
    entries = RankHistoryEntry.objects.filter(
        snapshot__in=[each.pk for each in lasts.values()], player__external_id__in=ids
    )
    rows = entries.values_list("snapshot", "player__external_id", "rank", "moves_from") if lasts else ()
    for snapshot, player, rank, moves_from in rows:
        ranks[snapshot, player] = rank
        if moves_from is not None and player == current_viewer():
            moved[snapshot] = moves_from
    return {key: _rank_then(key[1], lasts.get(key[0]), ranks, moved) for key in keys}


def _last_snapshots(periods: Collection[_Period]) -> dict[_Period, PeriodSnapshot]:
    if not periods:
        return {}
    is_last = reduce(or_, (Q(pk=_last_of(period)) for period in periods))
    rows = PeriodSnapshot.objects.filter(is_last).select_related("period").only(
        *("taken_at", "is_whole", "period__board", "period__label")
    )  # fmt: skip  # as a table
    return {(each.period.board_id, each.period.label): each for each in rows}


def _last_of(period: _Period) -> QuerySet[PeriodSnapshot, int]:
    board, label = period
    snapshots = snapshots_seen().filter(period__board=board, period__label=label)
    return snapshots.order_by("-due_at").values_list("pk", flat=True)[:1]


def _rank_then(
    player: str, last: PeriodSnapshot | None, ranks: dict[tuple[int, str], int], moved: dict[int, int]
) -> RankThen | None:
    if last is None:
        return None
    rank = ranks.get((last.pk, player))
    seen = None if rank is None else rank_seen(rank, player, moved.get(last.pk))
    return RankThen(last.taken_at, seen, last.is_whole)


_lately: StaleIfErrorCache[_Key, RankThen | None] = StaleIfErrorCache(_load, fresh=CACHE_SECONDS)


def clear_lately_cache() -> None:
    """Empty the cache."""
    _lately.forget()
