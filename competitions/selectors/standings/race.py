"""The race of a competition from its snapshots, as the public may see it: nothing that was taken after a freeze.

Results are cached for a minute, since a snapshot never changes. What a freeze changes is part of the key. The trap: a
shadowed player sees themselves, and snapshots lack them, so they see no race.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count

from competitions.models import Competition, Snapshot, SnapshotRow
from foundation.db.resilience import SqlAway, StaleIfErrorCache
from leaderboards.core.race import LINES, columns
from leaderboards.core.ranking.rules import Ties
from leaderboards.selectors import Movement, Standings
from leaderboards.selectors.history import race as shared
from leaderboards.selectors.history.race import PlayerHistory, RaceSnapshots
from leaderboards.selectors.visibility.restrictions import current_viewer

CACHE_SECONDS = 60.0
RECENTLY = timedelta(hours=1)
MOST_CANDIDATES = 500  # scheduled times among which the columns are chosen
MOST_ROWS = 10_000  # of a snapshot (``services/lifecycle/snapshots.py``)

_PlayerKey = tuple[tuple[int, ...], str]  # numbers of snapshots, player id


@dataclass(frozen=True, slots=True)
class _Key:
    competition: int
    starts_at: datetime
    until: datetime  # no snapshot from then on is shown
    end: datetime
    minutes: int
    ties: Ties


def race_snapshots(competition: Competition, at: datetime, ties: Ties) -> RaceSnapshots | None:
    """Choose the snapshots that the public may see at ``at``. None if there are none, or SQL is away."""
    timeline = competition.timeline
    if current_viewer() is not None or at < competition.starts_at or timeline.shows_nothing(at):
        return None
    frozen_since = timeline.frozen_since if competition.is_hidden(at) else None
    until = min(frozen_since or competition.ends_at, competition.ends_at)
    minutes = competition.snapshot_minutes
    key = _Key(competition.pk, competition.starts_at, until, _end_of_axis(competition, until, at), minutes, ties)
    with suppress(SqlAway):
        chosen = _snapshots.get(key)
        return chosen if chosen and chosen.columns else None
    return None


def player_histories(snapshots: RaceSnapshots, players: Collection[str]) -> dict[str, PlayerHistory] | None:
    """Ranks of each of ``players`` in the snapshots. None if SQL is away."""
    numbers = snapshots.numbers
    with suppress(SqlAway):
        histories = _histories.get_many([(numbers, player) for player in players])
        return {player: history for (_, player), history in histories.items()}
    return None


def recent_movement(competition: Competition, shown: Standings, at: datetime) -> Movement | None:
    """Return the ranks of the shown rows about an hour ago, else at the first snapshot. None if none is known."""
    snapshots = race_snapshots(competition, at, shown.rules.ties)
    if snapshots is None:
        return None
    then = next((each for each in reversed(snapshots.columns) if each.at <= at - RECENTLY), snapshots.columns[0])
    histories = player_histories(snapshots, {row.player for row in shown.rows})
    if histories is None:
        return None
    ranks = {player: each.ranks[then.pk] for player, each in histories.items() if then.pk in each.ranks}
    return Movement(then.at, ranks, then.is_whole)


def clear_race_cache() -> None:
    """Empty the caches."""
    _snapshots.forget()
    _histories.forget()


def _end_of_axis(competition: Competition, until: datetime, at: datetime) -> datetime:
    """Return the next scheduled snapshot, so that a drawing stays the same until then; at most ``until``."""
    interval = timedelta(minutes=competition.snapshot_minutes)
    following = competition.starts_at + ((at - competition.starts_at) // interval + 1) * interval
    return min(following, until)


def _load_snapshots(keys: Collection[_Key]) -> dict[_Key, RaceSnapshots]:
    return {key: _choose(key) for key in keys}


def _choose(key: _Key) -> RaceSnapshots:
    rows = Snapshot.objects.filter(competition=key.competition, due_at__lt=key.until, taken_at__lt=key.end, total__gt=0)
    interval = timedelta(minutes=key.minutes)
    scheduled = (key.end - key.starts_at) // interval
    if scheduled > MOST_CANDIDATES:  # a long competition with a snapshot each minute has tens of thousands
        stride = -(-scheduled // MOST_CANDIDATES)
        rows = rows.filter(due_at__in=[key.starts_at + nth * interval for nth in range(1, scheduled + 1, stride)])
    values = rows.order_by("due_at").values_list("pk", "taken_at", "total")
    every = [shared.Snapshot(pk, at, total <= MOST_ROWS, total) for pk, at, total in values]
    chosen = [every[nth] for nth in columns([each.at for each in every], key.end)]
    if key.ties is Ties.DENSE:
        above = _players_above(chosen)
        chosen = [replace(each, above=above[each.pk]) for each in chosen]
    return RaceSnapshots(tuple(chosen), (), key.end)


def _players_above(snapshots: Sequence[shared.Snapshot]) -> dict[int, Mapping[int, int]]:
    """By snapshot, the number of players before each of the first ranks, up to the one after the last."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    rows = SnapshotRow.objects.filter(snapshot__in=[each.pk for each in snapshots], rank__lte=LINES)
    for snapshot, rank, players in rows.values_list("snapshot", "rank").annotate(players=Count("pk")):
        counts[snapshot][rank] = players
    return {each.pk: shared.players_above(counts[each.pk]) for each in snapshots}


def _load_histories(keys: Collection[_PlayerKey]) -> dict[_PlayerKey, PlayerHistory]:
    players: dict[tuple[int, ...], set[str]] = defaultdict(set)
    for numbers, player in keys:
        players[numbers].add(player)
    histories = {key: PlayerHistory({}, {}) for key in keys}
    for numbers, ids in players.items():
        rows = SnapshotRow.objects.filter(snapshot__in=numbers, player__external_id__in=ids)
        for player, snapshot, rank in rows.values_list("player__external_id", "snapshot", "rank"):
            histories[numbers, player].ranks[snapshot] = rank
    return histories


_snapshots: StaleIfErrorCache[_Key, RaceSnapshots] = StaleIfErrorCache(_load_snapshots, fresh=CACHE_SECONDS)
_histories: StaleIfErrorCache[_PlayerKey, PlayerHistory] = StaleIfErrorCache(_load_histories, fresh=CACHE_SECONDS)
