"""What the erasure of a player waits for, in its transaction: writers that may have read the old name."""

from foundation.messages import Message
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards.core.periods import PeriodKind
from leaderboards.errors import StorageUnavailable
from leaderboards.models import ACTIVE_STATES, Period, Player, Standing, Storage
from leaderboards.stores.dynamodb.writes import DynamoWriter
from leaderboards.stores.redis.sync import ZsetSync


def wait_for_mirrors(player: Player) -> None:
    """Wait for mirror passes that may write the old name, and keep new ones from starting.

    Raises ``StorageUnavailable`` if Redis still has the player, or is out of sync, and as the Redis client.
    """
    decided_by_redis = Period.objects.filter(state__in=ACTIVE_STATES, board__storage=Storage.REDIS)
    for period in list(decided_by_redis.select_related("board").order_by("pk")):
        barrier.hold_exclusive(period.pk)
        period.refresh_from_db(fields=["stale_since"])
        part = period.part_of(player.external_id)
        if period.is_stale or ZsetSync(redis.exclusive_client()).knows_player(part, player.external_id):
            raise out_of_sync(period)
    there = Period.objects.filter(state__in=ACTIVE_STATES, board__storage=Storage.DYNAMODB, standings__player=player)
    for period in there.select_related("board").order_by("pk"):
        if DynamoWriter().look_up(period, [player.external_id]):
            raise out_of_sync(period)


def wait_for_corrections(player: Player) -> None:
    """Wait for corrections of closed events, which rewrite final standings and may have read the old name.

    Call it after the hooks of the apps above, which lock their own rows first when they correct.
    """
    closed = Period.objects.exclude(state__in=ACTIVE_STATES).filter(board__period=PeriodKind.EVENT)
    for number in closed.filter(standings__player=player).order_by("pk").values_list("pk", flat=True):
        barrier.hold_shared(number)


def refuse_if_ranked_again(player: Player) -> None:
    """Raise ``StorageUnavailable`` if the player has become ranked again since they were removed.

    Other processes learn of the ban within seconds; until then Redis may accept scores, which the mirror copies. In SQL
    a request from just before the ban may have waited for the player's row, which is locked by now.
    """
    ranked = Standing.objects.filter(player=player, score__isnull=False, period__state__in=ACTIVE_STATES)
    first = ranked.select_related("period__board").first()
    if first is not None:
        raise out_of_sync(first.period)


def refuse_if_unheard(player: Player) -> None:
    """Raise ``StorageUnavailable`` while Redis may not have heard that the player left a hybrid period.

    What is marked is published under the id that the player has by then, and in its partition. What is announced is
    published under the id that it was announced with: in compact periods nobody knows its number once that is another
    one.
    """
    rows = Standing.objects.filter(player=player, period__state__in=ACTIVE_STATES)
    for row in rows.filter(period__board__storage=Storage.HYBRID).select_related("period__board"):
        if row.pending_publish or (row.period.is_compact and _is_announced(row.period, player)):
            raise out_of_sync(row.period)


def _is_announced(period: Period, player: Player) -> bool:
    part = period.part_of(player.external_id)
    return ZsetSync(redis.exclusive_client()).is_announced(part, player.external_id)


def out_of_sync(period: Period) -> StorageUnavailable:
    """Return the error of an erasure that a store holds up."""
    return StorageUnavailable(
        Message(
            "Redis does not have period %(period)s as it is: run it again when that is resynced.", period=str(period)
        )
    )
