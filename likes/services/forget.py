"""Erase a player's likes: take them back, and remove the player's name from Redis.

The player is banned before, so there are no new likes. The trap: Redis stores names, so this must run while the player
still has their name, and is checked again just before the name is removed. If it is interrupted, it is run again.
"""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter

from django.db import transaction

from foundation.messages import Message
from foundation.models import DeadLetter
from foundation.redis import client as redis
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Player
from likes import registry
from likes.core.kinds import Storage
from likes.models import Like
from likes.registry import Likeable
from likes.services import count as counting
from likes.services import mirror as mirroring
from likes.services.count import count
from likes.services.kind_lock import lock_kind
from likes.services.storage_migration import migrate_storage
from likes.stores.choose import store_of
from likes.stores.redis_kind import RedisKind
from likes.stores.redis_views import RedisViews

CHUNK = 500


def forget(player: Player, at: datetime) -> None:
    """Take the player's likes back. If a store or Redis raises, run it again."""
    for likeable in registry.all_kinds():
        _bring_in_step(likeable, at)
        rows = Like.objects.filter(kind=likeable.kind, player=player)
        for thing in rows.filter(amount__gt=0).values_list("thing", flat=True):
            _unlike_all(likeable, thing, player.external_id, at)
        _bring_in_step(likeable, at)
        if likeable.storage == Storage.HYBRID:
            _forget_in_views(likeable, list(rows.values_list("thing", flat=True)), player.external_id)
    DeadLetter.objects.filter(kind=mirroring.DEAD_LETTER_KIND, payload__player=player.external_id).delete()


def refuse_if_liked_again(player: Player, _at: datetime) -> None:
    """Raise ``StorageUnavailable`` if the player has likes of a Redis kind again; then run ``forget`` again.

    A process with an outdated ban cache may have accepted them. The lock waits for a running mirror, and keeps others
    out until the caller's transaction, which renames the player, has ended. Raises Redis errors too.
    """
    by_redis = [likeable for likeable in registry.all_kinds() if likeable.storage == Storage.REDIS]
    for likeable in sorted(by_redis, key=attrgetter("kind")):
        lock_kind(likeable)
        liked = Like.objects.filter(kind=likeable.kind, player=player, amount__gt=0)
        if liked.exists() or RedisKind(likeable, redis.boards()).has_dirty_marks_of(player.external_id):
            raise StorageUnavailable(
                Message("A %(kind)s was liked by the player meanwhile: run it again.", kind=likeable.kind)
            )


def _unlike_all(likeable: Likeable, thing: str, player: str, at: datetime) -> None:
    """Take back all likes; those of a repeatable kind one by one."""
    while store_of(likeable).unlike(thing, player, at).own:
        continue


def _bring_in_step(likeable: Likeable, at: datetime) -> None:
    """Bring SQL and Redis to the same state, so that no pending change contains the player's name.

    The lock waits for a running batch, which may still publish the name.
    """
    if likeable.storage == Storage.REDIS:
        mirroring.mirror(likeable)
        return
    migrate_storage(likeable)  # before the transaction: it removes from Redis what its own commits have saved
    with transaction.atomic():
        lock_kind(likeable)
        count(likeable, at)


def _forget_in_views(likeable: Likeable, things: Sequence[str], player: str) -> None:
    views = RedisViews(likeable.kind, redis.boards())
    for start in range(0, len(things), CHUNK):
        views.forget(things[start : start + CHUNK], player)


def delete_dead_letters(kind: str, things: Sequence[str]) -> None:
    """Delete the dead letters of these things, whose reason may quote what somebody wrote.

    Waiting changes are tried again a second later and may get a new dead letter.
    """
    DeadLetter.objects.filter(
        kind=counting.DEAD_LETTER_KIND, payload__kind=kind, payload__thing__in=list(things)
    ).delete()
