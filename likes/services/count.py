"""Count the likes that SQL decided: delete changes, add them to the counts, and pass the totals to the kind's app.

Changes are deleted and counted in one commit, so the remaining changes are exactly those not counted; no time stamps
or sequence numbers are needed, which late commits would break. Before that commit every change is published to the
view again, because its writer may have died. Run twice, late, concurrently or interrupted, it counts each change once.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from typing import NamedTuple

from django.db import DatabaseError, transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS, is_busy
from foundation.dead_letters import DeadLetterHandler
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync.isolate_failures import write_isolating_failures
from leaderboards.core.instants import milliseconds
from leaderboards.models import Player
from likes import registry
from likes.core.kinds import Storage
from likes.errors import LikesUnavailable
from likes.models import LikeChange, LikeCount, LikeKind, LikeShard
from likes.registry import Likeable
from likes.selectors.lag import COUNT_DEAD_LETTER_KIND
from likes.services.kind_lock import lock_kind, try_lock_kind
from likes.services.storage_migration import migrate_storage
from likes.stores.redis_views import LikeState, RedisViews
from likes.stores.sql_counts import repair_counts
from likes.stores.sql_states import add_to_counts

logger = logging.getLogger(__name__)

CHUNK = 5_000
DEAD_LETTER_KIND = COUNT_DEAD_LETTER_KIND
COUNTED, DROPPED = "counted", "dropped"
RETRY_AFTER = timedelta(seconds=60)  # until a thing that SQL refused is tried again


class _Waiting(NamedTuple):
    """The waiting changes of one thing, by primary key."""

    thing: str
    changes: list[int]


def count_due(at: datetime) -> int:
    """Count the waiting changes of every kind; return how many. One kind's error does not stop the others."""
    counted, errors = 0, []
    for likeable in registry.all_kinds():
        try:
            counted += count(likeable, at)
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("likes of %s wait to be counted: %s", likeable.kind, error)
        except Exception as error:
            error.add_note(f"while likes of {likeable.kind} were counted")
            errors.append(error)
    if errors:
        raise ExceptionGroup("some likes could not be counted", errors)
    return counted


def count(likeable: Likeable, at: datetime) -> int:
    """Count one kind's waiting changes. It stops after a chunk that is not full, because new likes may keep coming."""
    migrate_storage(likeable)
    match likeable.storage:
        case Storage.REDIS:
            return 0
        case Storage.SQL:
            return _save_dirty_totals(likeable, at)
    if likeable.storage == Storage.HYBRID:
        _drop_unpublished_views(likeable)
    counted, size = 0, CHUNK
    while size == CHUNK:
        size = _count_chunk(likeable, at)
        counted += size
    return counted


def _count_chunk(likeable: Likeable, at: datetime) -> int:
    """Count up to ``CHUNK`` changes; return how many were found."""
    read_since = clock.monotonic()
    with transaction.atomic():
        if not try_lock_kind(likeable):
            return 0
        waiting = LikeChange.objects.filter(kind=likeable.kind).exclude(thing__in=_failed_lately(likeable, at))
        rows = sorted(waiting.order_by("id").values_list("thing", "id")[:CHUNK])
        things = [_Waiting(thing, [pk for _, pk in each]) for thing, each in groupby(rows, key=lambda row: row[0])]
        write_isolating_failures(
            things, partial(_add, likeable, read_since, at), partial(_add_dead_letter, likeable, at)
        )
        failpoint("count.before_commit")
    failpoint("count.after_commit")
    return len(rows)


def _add(likeable: Likeable, read_since: float, at: datetime, things: Sequence[_Waiting]) -> None:
    """Delete the changes of these things, add them to the counts, and publish them to the view and the kind's app."""
    changes = _delete_changes([pk for waiting in things for pk in waiting.changes])
    steps = dict.fromkeys((waiting.thing for waiting in things), 0)
    for change in changes:
        steps[change.thing] += change.delta
    likeable.save_totals(add_to_counts(likeable.kind, steps))
    _resolve(likeable, steps, at)
    if likeable.storage == Storage.HYBRID:
        _publish(likeable, changes, read_since)


def _delete_changes(numbers: Sequence[int]) -> list[LikeChange]:
    if not numbers:
        return []
    marks = ", ".join(["%s"] * len(numbers))
    rows = LikeChange.objects.raw(f"DELETE FROM likes_likechange WHERE id IN ({marks}) RETURNING *", numbers)  # noqa: S608 - it is made of placeholders only
    return sorted(rows, key=lambda change: change.pk)


def _publish(likeable: Likeable, changes: Sequence[LikeChange], read_since: float) -> None:
    """Publish the latest change of each player and thing to the view; if that fails, set ``pending_publish``."""
    failpoint("count.before_put")
    latest = {(change.thing, change.player_id): change for change in changes}
    names = dict(Player.objects.filter(pk__in={pk for _, pk in latest}).values_list("pk", "external_id"))
    states: dict[str, list[LikeState]] = defaultdict(list)
    for (thing, pk), change in latest.items():
        states[thing].append(LikeState(change.pk, names[pk], change.amount, milliseconds(change.at)))
    if not _try_publish(likeable, states, read_since):
        LikeCount.objects.filter(kind=likeable.kind, thing__in=list(states)).update(pending_publish=True)
    failpoint("count.after_put")


def _try_publish(likeable: Likeable, states: Mapping[str, Sequence[LikeState]], read_since: float) -> bool:
    try:
        RedisViews(likeable.kind, redis.boards()).publish_all(states, read_since)
    except Unavailable as error:
        logger.warning("likes of %s are not shown in Redis now: %s", likeable.kind, error.detail)
        return False
    return True


def _drop_unpublished_views(likeable: Likeable) -> None:
    """Drop the views of things with ``pending_publish``; the next reader loads them from SQL."""
    with transaction.atomic():
        if not try_lock_kind(likeable):
            return
        unpublished = LikeCount.objects.filter(kind=likeable.kind, pending_publish=True)
        things = list(unpublished.order_by("thing").values_list("thing", flat=True)[:CHUNK])
        if not things:
            return
        try:
            RedisViews(likeable.kind, redis.boards()).drop(things)
        except Unavailable as error:
            logger.info("views of %s are not dropped now: %s", likeable.kind, error.detail)
            return
        failpoint("count.after_drop")
        unpublished.filter(thing__in=things).update(pending_publish=False)


def _save_dirty_totals(likeable: Likeable, at: datetime) -> int:
    """Save the totals of things with dirty shards; return how many. A like meanwhile marks a shard dirty again."""
    with transaction.atomic():
        if not try_lock_kind(likeable):
            return 0
        dirty = LikeShard.objects.filter(kind=likeable.kind, dirty=True)
        dirty = dirty.exclude(thing__in=_failed_lately(likeable, at))
        things = sorted(set(dirty.values_list("thing", flat=True)[:CHUNK]))
        waiting = [_Waiting(thing, []) for thing in things]
        write_isolating_failures(waiting, partial(_save_totals, likeable, at), partial(_add_dead_letter, likeable, at))
        failpoint("count.before_commit")
    return len(things)


def _save_totals(likeable: Likeable, at: datetime, waiting: Sequence[_Waiting]) -> None:
    things = [each.thing for each in waiting]
    shards = LikeShard.objects.filter(kind=likeable.kind, thing__in=things)
    shards.filter(dirty=True).update(dirty=False)
    likeable.save_totals(dict(shards.values_list("thing").annotate(Sum("count"))))
    _resolve(likeable, things, at)


def _failed_lately(likeable: Likeable, at: datetime) -> list[str]:
    """The things that SQL refused to count in the last minute."""
    dead = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, payload__kind=likeable.kind, resolved_at=None)
    return list(dead.filter(failed_at__gt=at - RETRY_AFTER).values_list("payload__thing", flat=True))


def _add_dead_letter(likeable: Likeable, at: datetime, waiting: _Waiting, error: DatabaseError) -> None:
    """Record a thing that SQL refuses to count. Its changes stay, so reads remain right; it is tried again later."""
    logger.error("likes of %s %s cannot be counted: %s", likeable.kind, waiting.thing, error)
    payload = {"kind": likeable.kind, "thing": waiting.thing, "changes": len(waiting.changes)}
    DeadLetter.note(DEAD_LETTER_KIND, _subject(likeable.kind, waiting.thing), payload, str(error), at)


def _resolve(likeable: Likeable, things: Iterable[str], at: datetime) -> None:
    if DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, resolved_at=None).exists():
        DeadLetter.resolve(DEAD_LETTER_KIND, [_subject(likeable.kind, thing) for thing in things], COUNTED, at)


def _subject(kind: str, thing: str) -> str:
    return f"{kind}:{thing}"


def retry(letter: DeadLetter, at: datetime) -> str:
    """Count the thing of a dead letter now; return why SQL still refuses it, or an empty text. Raises ``UnknownKind``.

    The total is saved even if no change waits any more, because the kind has another storage now.
    """
    likeable, thing = registry.get_kind(letter.payload["kind"]), letter.payload["thing"]
    migrate_storage(likeable)
    write = partial(_save_totals, likeable, at)
    if likeable.storage != Storage.SQL:
        write = partial(_add, likeable, clock.monotonic(), at)
    with transaction.atomic():
        lock_kind(likeable)
        changes = LikeChange.objects.filter(kind=likeable.kind, thing=thing).order_by("id")[:CHUNK]
        waiting = [_Waiting(thing, list(changes.values_list("id", flat=True)))]
        write_isolating_failures(waiting, write, partial(_add_dead_letter, likeable, at))
    letter.refresh_from_db()
    return "" if letter.resolved_at is not None else letter.reason


def drop(letter: DeadLetter, at: datetime) -> None:
    """Give up saving the total: rebuild the count from the likes, which all stay, and delete the waiting changes.

    The kind's app keeps its last total until the thing's next like. Raises ``LikesUnavailable`` if SQL refuses the
    count itself; then nothing has changed.
    """
    kind, thing = letter.payload["kind"], letter.payload["thing"]
    try:
        with transaction.atomic():
            row = LikeKind.objects.select_for_update().get(kind=kind)  # works for unregistered kinds too
            _rebuild_count(kind, thing, Storage(row.storage))
            DeadLetter.resolve(DEAD_LETTER_KIND, [letter.subject], DROPPED, at)
    except DatabaseError as error:
        raise LikesUnavailable(
            Message("SQL refuses the count itself: remove what the reason names, then try again.")
        ) from error


def _rebuild_count(kind: str, thing: str, storage: Storage) -> None:
    """Rebuild a thing's count from its likes, and have its view dropped, which may lack the deleted changes."""
    LikeChange.objects.filter(kind=kind, thing=thing).delete()
    repair_counts(kind, storage, [thing])
    LikeShard.objects.filter(kind=kind, thing=thing).update(dirty=False)
    if storage == Storage.HYBRID:
        LikeCount.objects.update_or_create(kind=kind, thing=thing, defaults={"pending_publish": True})


def _dropping() -> str:
    return _(
        "No like is lost: the count is made anew of the likes that SQL has. "
        "Only what sorts by it keeps the number that it had, until the next like."
    )


DEAD_LETTER_WORK = DeadLetterHandler(retry, drop, _dropping)
