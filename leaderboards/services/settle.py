"""Settling: making Redis show again what SQL knows, after a put failed, a server restarted or memory was lost.

Nobody reads a stale period from Redis, so it is rebuilt in place, under a new and greater generation.
Every step may be cut off and run again, also twice at once: the generation decides who goes on.
"""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

from django.db import transaction

from foundation import clock, redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.models import KnownRedis
from leaderboards.models import Period, Standing, State, Storage
from leaderboards.services.missing import CHUNK, clear_tokens, player_named, put_marked_chunk, put_missing
from leaderboards.stores import barrier, generations
from leaderboards.stores.sql_writes import state_of
from leaderboards.stores.zset_settling import Memory, Restored, ZsetSettler
from leaderboards.stores.zset_writes import ENTRIES_PER_CALL, held_text, is_held

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=30)
_LIVING = (State.OPEN, State.CLOSING)
Tell = Callable[[Period], None]
Renew = Callable[[], None]
_more: list[Renew] = []


def also(renew: Renew) -> None:
    """Have ``renew`` called when a server is met that SQL does not know, before it does: what apps above keep there
    gets new generations too. Asking twice changes nothing.
    """
    if renew not in _more:
        _more.append(renew)


def settle_due(at: datetime) -> int:
    """Settle whatever needs it; returns how many periods were brought back.

    Raises ``RedisAway`` or its kin if Redis cannot be reached: then nothing is due yet.
    """
    greet()
    mark_strangers(at)
    settled = 0
    stale = Period.objects.filter(stale_since__isnull=False, state__in=_LIVING)  # final ones are read from SQL
    for period in stale.select_related("board").order_by("stale_since"):
        settled += try_settle(period)
    for period in _living():
        if period.stale_since is None and period.board.storage == Storage.HYBRID:
            clear_tokens(period, at)
    return settled


def try_settle(period: Period) -> bool:
    """Settle one period; False, with a word in the log, where Redis is away or someone else is at it."""
    try:
        greet()
        return settle(period.pk)
    except Unavailable as error:
        logger.warning("period %s is not settled yet: %s", period.pk, error.detail)
        return False


def settle(period_id: int, tell: Tell = lambda _: None) -> bool:
    """Bring one stale period back; False if it is not stale, or somebody else is at it. Raises what the link raises.

    ``tell`` is called after each chunk with the period, whose ``rebuilt`` says how far it is.
    """
    period = _renew(period_id)
    if period is None:
        return False
    if period.board.storage == Storage.REDIS:
        return True
    try:
        put_missing(period, partial(_go_on, period, tell))
        return _declare_settled(period)
    finally:
        Period.objects.filter(pk=period.pk, generation=period.generation).update(settling_until=None)


def greet() -> None:
    """Make the server behind the settling link known, after every period got a generation that it never had.

    An unknown identity is lost memory: hybrid periods are put anew as a whole, redis periods get from SQL
    what the memory lacks, and final ones are no longer read from Redis.
    """
    link = redis.settling()
    identity = link.who()
    if KnownRedis.is_known(identity):
        return
    settler = ZsetSettler(link)
    for period in Period.objects.filter(state=State.FINAL).exclude(board__storage=Storage.SQL):
        settler.forget_generation(period)
    for period in _living():
        _renew(period.pk, distrust=True)
    for renew in _more:
        renew()
    if link.who() == identity:
        KnownRedis.objects.get_or_create(identity=identity)
        logger.info("another Redis is known now, or one that was made a primary")


def mark_strangers(at: datetime) -> None:
    """Mark stale each living period whose generation in Redis is not the one of SQL (a FLUSHALL, say)."""
    settler = ZsetSettler(redis.settling())
    for period in _living():
        if period.stale_since is None and settler.memory(period).generation != period.generation:
            _mark_stale(period, at)


def _mark_stale(period: Period, at: datetime) -> None:
    """Unless somebody gave the period another generation since we read it."""
    Period.objects.filter(pk=period.pk, generation=period.generation, stale_since=None).update(stale_since=at)


def _living() -> Iterable[Period]:
    return Period.objects.filter(state__in=_LIVING).exclude(board__storage=Storage.SQL).select_related("board")


def _renew(period_id: int, distrust: bool = False) -> Period | None:
    """The first step, behind the exclusive barrier: a new generation in Redis, then in SQL. None if not needed.

    ``distrust`` is for a server that nobody knows: the period becomes stale, and whoever settled it
    on another server has worked for nothing.
    """
    number = generations.draw()
    with transaction.atomic():
        barrier.hold_exclusive(period_id)
        period = Period.objects.select_related("board").get(pk=period_id)
        if number <= period.generation or not (distrust or _is_due(period)):
            return None
        settler = ZsetSettler(redis.settling())
        memory = settler.memory(period)
        decided_by_redis = period.board.storage == Storage.REDIS
        lost = period.whole or _is_lost(period, memory) or (distrust and not decided_by_redis)
        if not settler.renew(period, number, empty=lost):
            generations.lift(memory.generation)  # the next run draws a greater one
            return None
        failpoint("settle.after_renew")
        period.generation = number
        if decided_by_redis:
            _restore(settler, period, above=-1 if lost else memory.sequence)
            period.stale_since, period.whole = None, False
        else:
            period.stale_since, period.whole = period.stale_since or clock.now(), lost
            period.settling_until, period.rebuilt = None if distrust else clock.now() + LEASE, 0
        period.save(update_fields=["generation", "stale_since", "whole", "settling_until", "rebuilt"])
        failpoint("settle.before_commit")
    failpoint("settle.after_generation")
    return period


def _is_lost(period: Period, memory: Memory) -> bool:
    """Whether what Redis remembers is worth nothing.

    Where Redis decides, memory of another generation may hold what SQL never saw: it was rolled back, or a
    settle was cut off after its first step. Only no generation at all is lost memory there.
    """
    if period.board.storage == Storage.REDIS:
        return memory.generation == 0
    return memory.generation != period.generation


def _is_due(period: Period) -> bool:
    """Whether the period is stale and nobody is at it. The lease saves work; the generation keeps it right."""
    return period.stale_since is not None and (period.settling_until is None or period.settling_until <= clock.now())


def _restore(settler: ZsetSettler, period: Period, above: int) -> None:
    """Give a redis period the rows of SQL that are newer than its memory.

    By version: cut off anywhere, the sequence says how far it came. Only then is it lifted: a memory that was
    thought gone may come back later, and must not have versions that were given out again meanwhile.
    """
    columns = ("version", "score", "member", *(("points", "fields", "at") if is_held(period) else ()))
    rows = Standing.objects.filter(period=period, version__gt=above).order_by("version", "pk").values_list(*columns)
    found = rows.iterator(chunk_size=CHUNK)
    while chunk := list(islice(found, ENTRIES_PER_CALL)):
        settler.restore(period, [_restored(period, *row) for row in chunk])
        failpoint("settle.after_restored_chunk")
    settler.lift(period)
    failpoint("settle.after_lift")
    if period.state != State.OPEN:
        settler.close(period)


def _restored(period: Period, version: int, score: float | None, member: str, *value: Any) -> Restored:
    """A row, and its value and time where Redis keeps them beside the score: to read them costs most."""
    name = player_named(period, score, member)
    if score is None:
        return Restored(name, version, None, "", "")
    return Restored(name, version, score, member, held_text(period, state_of(*value)) if value else "")


def _go_on(period: Period, tell: Tell, put: int) -> None:
    """Renew the lease, and say how far we are."""
    period.rebuilt += put
    mine = Period.objects.filter(pk=period.pk, generation=period.generation)
    mine.update(settling_until=clock.now() + LEASE, rebuilt=period.rebuilt)
    tell(period)


def _declare_settled(period: Period) -> bool:
    """The last step, behind the exclusive barrier: only if nothing is missing and nobody renewed meanwhile.

    Whoever scored since the last chunk is put here; else a busy board would never be settled.
    """
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        put_marked_chunk(period, last=0)
        if Standing.objects.filter(period=period, unput=True).exists():
            return False
        mine = Period.objects.filter(pk=period.pk, generation=period.generation)
        settled = bool(mine.update(stale_since=None, whole=False))
        failpoint("settle.before_declared")
    failpoint("settle.after_declared")
    return settled
