"""Ranks of several players, without their rows."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from foundation.redis import client as redis
from leaderboards.models import Period
from leaderboards.selectors.rankings.store_routing import read_from_store, read_within_timeout
from leaderboards.selectors.visibility.hidden import shadowed_in
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.stores.base import ForPlayers, Store
from leaderboards.stores.redis.compact import CompactStore
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.redis.single_rank import has_plain_rank, plain_rank


def ranks(period: Period, players: Iterable[str]) -> dict[str, int]:
    """Return the known ranks of ``players``.

    Shadowed players get the rank that they would have, so that a game does not reveal the shadow to them.
    """
    wanted = tuple(players)
    ranked, _ = read_from_store(period, partial(_ranks, players=wanted))
    for player in shadowed_in(period).intersection(wanted):
        with viewing_as(player):
            ranked += read_from_store(period, partial(_ranks, players=(player,)))[0]
    return {player: rank for player, rank in ranked if rank is not None}


def ranks_excluding(period: Period, players: Iterable[str], out: Collection[str]) -> dict[str, int]:
    """Return the ranks for a list in the admin, as if the players ``out`` (ids) did not exist.

    Ranks that are not counted within the timeout are omitted.
    """
    ranked = read_within_timeout(period, partial(_ranks, players=tuple(players)), out) or []
    return {player: rank for player, rank in ranked if rank is not None}


def _ranks(store: Store, period: Period, players: Sequence[str]) -> list[tuple[str, int | None]]:
    if len(players) == 1 and isinstance(store, ZsetStore | CompactStore) and has_plain_rank(period):
        return [(players[0], plain_rank(redis.boards(), period, players[0]))]
    (placed,) = store.read(period, [ForPlayers(tuple(players))]).answers
    return [(period.layout.player_of(each.member), each.rank) for each in placed]
