"""Counting what SQL decided: changes are taken out and added to the counts, whose totals are told to the registrants.

What is taken out is counted in the same commit, so what is left is exactly what is not counted: nothing looks at
times, or at numbers that a late commit has overtaken. Before that commit every change is told to the view once more,
since its writer may have died. Run twice, late, at once or cut off anywhere, it counts each change once.
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

from foundation.db.resilience import CONNECTION_ERRORS, is_busy
from foundation.dead_letters import DeadLetterHandler
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync.poison import write_isolating_failures
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
AGAIN_AFTER = timedelta(seconds=60)  # until a poisonous thing is tried again


class _Waiting(NamedTuple):
    """The changes of one thing that wait, by their numbers."""

    thing: str
    changes: list[int]


def count_due(at: datetime) -> int:
    """Count what waits, of every kind; returns how many changes that were. One kind does not keep another waiting."""
    counted, failed = 0, []
    for likeable in registry.all_kinds():
        try:
            counted += count(likeable, at)
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("likes of %s wait to be counted: %s", likeable.kind, error)
        except Exception as error:
            error.add_note(f"while likes of {likeable.kind} were counted")
            failed.append(error)
    if failed:
        raise ExceptionGroup("some likes could not be counted", failed)
    return counted


def count(likeable: Likeable, at: datetime) -> int:
    """Count what waits of one kind by now. It ends with a chunk that was not full: likes may never stop coming."""
    migrate_storage(likeable)
    match likeable.storage:
        case Storage.REDIS:
            return 0
        case Storage.SQL:
            return _tell_totals(likeable, at)
    if likeable.storage == Storage.HYBRID:
        _drop_unput(likeable)
    counted, found = 0, CHUNK
    while found == CHUNK:
        found = _count_chunk(likeable, at)
        counted += found
    return counted


def _count_chunk(likeable: Likeable, at: datetime) -> int:
    """How many changes were taken up: all that wait, or as many as a chunk holds."""
    deadline_ms = _deadline_ms(likeable)
    with transaction.atomic():
        if not try_lock_kind(likeable):
            return 0
        waiting = LikeChange.objects.filter(kind=likeable.kind).exclude(thing__in=_set_apart(likeable, at))
        rows = sorted(waiting.order_by("id").values_list("thing", "id")[:CHUNK])
        things = [_Waiting(thing, [pk for _, pk in each]) for thing, each in groupby(rows, key=lambda row: row[0])]
        write_isolating_failures(things, partial(_add, likeable, deadline_ms, at), partial(_bury, likeable, at))
        failpoint("count.before_commit")
    failpoint("count.after_commit")
    return len(rows)


def _add(likeable: Likeable, deadline_ms: int | None, at: datetime, things: Sequence[_Waiting]) -> None:
    """Take the changes of these things out, add them up, tell the view and the registrant."""
    changes = _taken_out([pk for waiting in things for pk in waiting.changes])
    steps = dict.fromkeys((waiting.thing for waiting in things), 0)
    for change in changes:
        steps[change.thing] += change.delta
    likeable.save_totals(add_to_counts(likeable.kind, steps))
    _resolve(likeable, steps, at)
    if likeable.storage == Storage.HYBRID:
        _put(likeable, changes, deadline_ms)


def _taken_out(numbers: Sequence[int]) -> list[LikeChange]:
    if not numbers:
        return []
    marks = ", ".join(["%s"] * len(numbers))
    rows = LikeChange.objects.raw(f"DELETE FROM likes_likechange WHERE id IN ({marks}) RETURNING *", numbers)  # noqa: S608 (made of placeholders alone)
    return sorted(rows, key=lambda change: change.pk)


def _put(likeable: Likeable, changes: Sequence[LikeChange], deadline_ms: int | None) -> None:
    """Tell the view the latest of each player and thing; where that fails, the things are marked."""
    failpoint("count.before_put")
    latest = {(change.thing, change.player_id): change for change in changes}
    names = dict(Player.objects.filter(pk__in={pk for _, pk in latest}).values_list("pk", "external_id"))
    states: dict[str, list[LikeState]] = defaultdict(list)
    for (thing, pk), change in latest.items():
        states[thing].append(LikeState(change.pk, names[pk], change.amount, milliseconds(change.at)))
    if not _is_published(likeable, states, deadline_ms):
        LikeCount.objects.filter(kind=likeable.kind, thing__in=list(states)).update(pending_publish=True)
    failpoint("count.after_put")


def _is_published(likeable: Likeable, states: Mapping[str, Sequence[LikeState]], deadline_ms: int | None) -> bool:
    if deadline_ms is None:
        return False
    try:
        RedisViews(likeable.kind, redis.boards()).publish_all(states, deadline_ms)
    except Unavailable as error:
        logger.warning("likes of %s are not shown in Redis now: %s", likeable.kind, error.detail)
        return False
    return True


def _deadline_ms(likeable: Likeable) -> int | None:
    """Until when Redis may be told of what SQL says from here on; None while it is away, or not asked at all."""
    if likeable.storage != Storage.HYBRID:
        return None
    try:
        return RedisViews(likeable.kind, redis.boards()).deadline_ms()
    except Unavailable:
        return None


def _drop_unput(likeable: Likeable) -> None:
    """Drop the views of things of which Redis was not told something: who reads them next loads them from SQL."""
    with transaction.atomic():
        if not try_lock_kind(likeable):
            return
        pending_publish = LikeCount.objects.filter(kind=likeable.kind, pending_publish=True)
        things = list(pending_publish.order_by("thing").values_list("thing", flat=True)[:CHUNK])
        if not things:
            return
        try:
            RedisViews(likeable.kind, redis.boards()).drop(things)
        except Unavailable as error:
            logger.info("views of %s are not dropped now: %s", likeable.kind, error.detail)
            return
        failpoint("count.after_drop")
        pending_publish.filter(thing__in=things).update(pending_publish=False)


def _tell_totals(likeable: Likeable, at: datetime) -> int:
    """Tell the totals of things whose shards have changed; returns how many. Who likes now marks a shard again."""
    with transaction.atomic():
        if not try_lock_kind(likeable):
            return 0
        dirty = LikeShard.objects.filter(kind=likeable.kind, dirty=True).exclude(thing__in=_set_apart(likeable, at))
        things = sorted(set(dirty.values_list("thing", flat=True)[:CHUNK]))
        waiting = [_Waiting(thing, []) for thing in things]
        write_isolating_failures(waiting, partial(_tell, likeable, at), partial(_bury, likeable, at))
        failpoint("count.before_commit")
    return len(things)


def _tell(likeable: Likeable, at: datetime, waiting: Sequence[_Waiting]) -> None:
    things = [each.thing for each in waiting]
    shards = LikeShard.objects.filter(kind=likeable.kind, thing__in=things)
    shards.filter(dirty=True).update(dirty=False)
    likeable.save_totals(dict(shards.values_list("thing").annotate(Sum("count"))))
    _resolve(likeable, things, at)


def _set_apart(likeable: Likeable, at: datetime) -> list[str]:
    """The things that SQL would not count a moment ago."""
    dead = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, payload__kind=likeable.kind, resolved_at=None)
    return list(dead.filter(failed_at__gt=at - AGAIN_AFTER).values_list("payload__thing", flat=True))


def _bury(likeable: Likeable, at: datetime, waiting: _Waiting, error: DatabaseError) -> None:
    """Set a thing aside that SQL will not count. Its changes stay, so reads are right; it is tried again later."""
    logger.error("likes of %s %s cannot be counted: %s", likeable.kind, waiting.thing, error)
    payload = {"kind": likeable.kind, "thing": waiting.thing, "changes": len(waiting.changes)}
    DeadLetter.note(DEAD_LETTER_KIND, _subject(likeable.kind, waiting.thing), payload, str(error), at)


def _resolve(likeable: Likeable, things: Iterable[str], at: datetime) -> None:
    if DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, resolved_at=None).exists():
        DeadLetter.resolve(DEAD_LETTER_KIND, [_subject(likeable.kind, thing) for thing in things], COUNTED, at)


def _subject(kind: str, thing: str) -> str:
    return f"{kind}:{thing}"


def retry(letter: DeadLetter, at: datetime) -> str:
    """Count now what was set aside; why SQL still refuses it, or nothing. Raises ``UnknownKind``.

    Where nothing waits any more, since the kind is kept another way by now, the total is told all the same.
    """
    likeable, thing = registry.get_kind(letter.payload["kind"]), letter.payload["thing"]
    migrate_storage(likeable)
    write = partial(_tell, likeable, at)
    if likeable.storage != Storage.SQL:
        write = partial(_add, likeable, _deadline_ms(likeable), at)
    with transaction.atomic():
        lock_kind(likeable)
        changes = LikeChange.objects.filter(kind=likeable.kind, thing=thing).order_by("id")[:CHUNK]
        waiting = [_Waiting(thing, list(changes.values_list("id", flat=True)))]
        write_isolating_failures(waiting, write, partial(_bury, likeable, at))
    letter.refresh_from_db()
    return "" if letter.resolved_at is not None else letter.reason


def drop(letter: DeadLetter, at: datetime) -> None:
    """Give up telling: the count is made of the rows, all of which stay, and what waits to be counted goes.

    The app that registered the kind keeps the total that it was told last, until the thing's next like. Raises
    ``LikesUnavailable`` where SQL refuses the count itself; then nothing has changed.
    """
    kind, thing = letter.payload["kind"], letter.payload["thing"]
    try:
        with transaction.atomic():
            row = LikeKind.objects.select_for_update().get(kind=kind)  # as it is counted now, registered or not
            _count_of_rows(kind, thing, Storage(row.storage))
            DeadLetter.resolve(DEAD_LETTER_KIND, [letter.subject], DROPPED, at)
    except DatabaseError as error:
        raise LikesUnavailable("SQL refuses the count itself: remove what the reason names, then try again.") from error


def _count_of_rows(kind: str, thing: str, storage: Storage) -> None:
    """Make a thing's count of its rows. The view may lack what nobody will tell it now, so it is made anew."""
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
