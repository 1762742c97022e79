"""Forgetting the likes of a player who is erased: they are taken back, and nothing in Redis names them afterwards.

They are banned by then, so they like nothing meanwhile. The trap: what Redis has is asked for while they still have
their name, and once more when they are about to lose it. Cut off anywhere, it is run again.
"""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter

from django.db import transaction

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
    """Take their likes back. Raises what the stores and the link raise: then it has to be run again."""
    for likeable in registry.all_kinds():
        _follow(likeable, at)
        rows = Like.objects.filter(kind=likeable.kind, player=player)
        for thing in rows.filter(amount__gt=0).values_list("thing", flat=True):
            _take_back(likeable, thing, player.external_id, at)
        _follow(likeable, at)
        if likeable.storage == Storage.HYBRID:
            _forget_in_views(likeable, list(rows.values_list("thing", flat=True)), player.external_id)
    DeadLetter.objects.filter(kind=mirroring.DEAD_LETTER_KIND, payload__player=player.external_id).delete()


def refuse_if_liked_again(player: Player, _at: datetime) -> None:
    """A process that had not heard of the ban may have let them like something since, of a kind that Redis decides on.

    A mirror that runs is waited for, and nobody begins until the caller's transaction, which renames them, has ended.
    Raises ``StorageUnavailable`` where they are back, and what the link raises: then it has to be run again.
    """
    by_redis = [likeable for likeable in registry.all_kinds() if likeable.storage == Storage.REDIS]
    for likeable in sorted(by_redis, key=attrgetter("kind")):
        lock_kind(likeable)
        liked = Like.objects.filter(kind=likeable.kind, player=player, amount__gt=0)
        if liked.exists() or RedisKind(likeable, redis.boards()).has_dirty_marks_of(player.external_id):
            raise StorageUnavailable(f"A {likeable.kind} was liked by the player meanwhile: run it again.")


def _take_back(likeable: Likeable, thing: str, player: str, at: datetime) -> None:
    """All of them, of a repeatable kind one after the other."""
    while store_of(likeable).unlike(thing, player, at).own:
        continue


def _follow(likeable: Likeable, at: datetime) -> None:
    """Bring SQL and what Redis shows to the same state, so that nothing is on its way that names them.

    A batch that is telling Redis at this moment is waited for: it may name them yet.
    """
    if likeable.storage == Storage.REDIS:
        mirroring.mirror(likeable)
        return
    migrate_storage(likeable)  # outside of the transaction: it takes from Redis what its commits have kept
    with transaction.atomic():
        lock_kind(likeable)
        count(likeable, at)


def _forget_in_views(likeable: Likeable, things: Sequence[str], player: str) -> None:
    views = RedisViews(likeable.kind, redis.boards())
    for start in range(0, len(things), CHUNK):
        views.forget(things[start : start + CHUNK], player)


def delete_dead_letters(kind: str, things: Sequence[str]) -> None:
    """Let go of what SQL said when it would not count these things: it may quote what somebody wrote.

    What still waits is tried again a second later, and set aside with SQL's words of then.
    """
    DeadLetter.objects.filter(
        kind=counting.DEAD_LETTER_KIND, payload__kind=kind, payload__thing__in=list(things)
    ).delete()
