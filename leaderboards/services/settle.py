"""Settling: making Redis show again what SQL knows, where it did not hear of it, was restarted or lost its memory.

Nobody reads a stale period from Redis. Memory that is not trusted gets a new generation: first in SQL, behind the
barrier, so that nobody decides under the old one any more; then what may be missing is marked; then Redis gets the
number. Cut off anywhere it is run again, also twice at once: the generation decides who goes on. A memory that has
followed SQL up to a transaction lacks only what came later (``mark_since``).
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db import transaction

from foundation import clock, redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.models import KnownRedis
from foundation.sql import AWAY, SqlBusy
from leaderboards.models import Period, Standing, State, Storage
from leaderboards.services.reconcile import followed, mark_since, put_all, put_marked, reconcile
from leaderboards.services.restore import restore
from leaderboards.stores import barrier, generations
from leaderboards.stores.zset_settling import Memory, ZsetSettler

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=10)
SHUT_LEASE = timedelta(seconds=2)  # where Redis decides: nobody scores until the board is back
ALONE_WITHIN_SECONDS = 1.0
FOLLOWED_EVERY = 5  # seconds: a memory that comes back lacks as much more
_LIVING = (State.OPEN, State.CLOSING)
Tell = Callable[[Period], None]
Renew = Callable[[], None]
_more: list[Renew] = []


class _Judged(NamedTuple):
    """A period that SQL gave a new generation, the memory as it was judged, and whether that is worth nothing."""

    period: Period
    memory: Memory
    lost: bool


def also(renew: Renew) -> None:
    """Have ``renew`` called when a server is met that SQL does not know, before it does: what apps above keep there
    gets new generations too. Asking twice changes nothing.
    """
    if renew not in _more:
        _more.append(renew)


def settle_due(at: datetime) -> int:
    """Settle and reconcile whatever needs it; returns how many periods were brought back.

    Raises ``RedisAway`` or its kin if Redis cannot be reached: then nothing is due yet.
    """
    greet()
    periods = list(_living())
    _look_at(periods, at)
    settled = 0
    stale = Period.objects.filter(stale_since__isnull=False, state__in=_LIVING)  # final ones are read from SQL
    for period in stale.select_related("board").order_by("stale_since"):
        settled += try_settle(period)
    _note_followed(periods, at)
    return settled


def try_settle(period: Period) -> bool:
    """Settle one period; False, with a word in the log, where Redis is away or someone else is at it."""
    try:
        greet()
        return settle(period.pk)
    except Unavailable as error:
        logger.warning("period %s is not settled yet: %s", period.pk, error.detail)
    except AWAY:
        raise
    except Exception:
        logger.exception("period %s cannot be settled", period.pk)
    return False


def settle(period_id: int, tell: Tell = lambda _: None) -> bool:
    """Bring one stale period back; False if it is not stale, or somebody else is at it. Raises what the link raises.

    ``tell`` is called after each chunk with the period, whose ``rebuilt`` says how far it is.
    """
    period = _lease(period_id)
    if period is None:
        return False
    try:
        decided_by_redis = period.board.storage == Storage.REDIS
        sequence = 0
        if decided_by_redis or period.whole or _memory(period).generation != period.generation:
            judged = _supersede(period)
            if judged is None:
                return False
            period = judged.period
            found = _take_over(judged)
            if found is None:
                return False
            sequence = -1 if judged.lost else found
        go_on = partial(_go_on, period, tell)
        if decided_by_redis:
            restore(period, sequence, go_on)
        elif not _put(period, go_on):
            return False
        return _declare_settled(period)
    finally:
        with suppress(*AWAY):  # else it runs out
            Period.objects.filter(pk=period.pk, generation=period.generation).update(settling_until=None)


def greet() -> None:
    """Make the server behind the settling link known, after every period got a generation that it never had.

    Of a server that nobody knows all memory is judged anew. Final periods are no longer read from Redis.
    """
    link = redis.settling()
    identity = link.who()
    if KnownRedis.is_known(identity):
        return
    settler = ZsetSettler(link)
    for period in Period.objects.filter(state=State.FINAL).exclude(board__storage=Storage.SQL):
        settler.forget_generation(period)
    for judged in [_distrust(period) for period in _living()]:
        if judged is not None and _take_over(judged) is None:
            return  # memory has changed since: the next run judges it anew
    for renew in _more:
        renew()
    if link.who() == identity:
        KnownRedis.objects.get_or_create(identity=identity)
        logger.info("another Redis is known now, or one that was made a primary")


def _look_at(periods: Sequence[Period], at: datetime) -> None:
    """Mark stale whose memory is another (a FLUSHALL, say), and reconcile what was announced and not published."""
    living = [period for period in periods if period.stale_since is None]
    marked = set(Standing.objects.filter(unput=True, period__in=living).values_list("period", flat=True).distinct())
    for period, pulse in zip(living, ZsetSettler(redis.settling()).pulses(living), strict=True):
        if pulse is None or pulse.generation != period.generation or period.pk in marked:
            _mark_stale(period, at)
        elif pulse.inflight:
            _try_reconcile(period, at)


def _note_followed(periods: Sequence[Period], at: datetime) -> None:
    """Note up to where SQL was followed, of each period every few seconds. A stranger is told nothing."""
    hybrid = [each for each in periods if each.board.storage == Storage.HYBRID and each.stale_since is None]
    due = [each for each in hybrid if each.pk % FOLLOWED_EVERY == int(at.timestamp()) % FOLLOWED_EVERY]
    upto = followed()
    if due and upto:
        with suppress(Unavailable):
            ZsetSettler(redis.boards()).note_followed(due, upto)


def _try_reconcile(period: Period, at: datetime) -> None:
    """Where Redis does not take what SQL has committed, SQL answers."""
    try:
        reconcile(period)
    except Unavailable as error:
        logger.warning("period %s is not reconciled yet: %s", period.pk, error.detail)
        _mark_stale(period, at)


def _mark_stale(period: Period, at: datetime) -> None:
    """Unless somebody gave the period another generation since we read it."""
    Period.objects.filter(pk=period.pk, generation=period.generation, stale_since=None).update(stale_since=at)


def _living() -> Iterable[Period]:
    return Period.objects.filter(state__in=_LIVING).exclude(board__storage=Storage.SQL).select_related("board")


def _memory(period: Period) -> Memory:
    return ZsetSettler(redis.settling()).memory(period)


def _lease(period_id: int) -> Period | None:
    """The period, if it is stale and nobody is at it. The lease saves work; the generation keeps it right."""
    period = Period.objects.select_related("board").get(pk=period_id)
    now = clock.now()
    free = Period.objects.filter(pk=period_id, stale_since__isnull=False).exclude(settling_until__gt=now)
    if not free.update(settling_until=now + _length(period)):
        return None
    period.refresh_from_db()
    return period


def _length(period: Period) -> timedelta:
    """How long a lease lasts without being renewed."""
    return min(LEASE, SHUT_LEASE) if period.board.storage == Storage.REDIS else LEASE


def _supersede(period: Period, distrust: bool = False) -> _Judged | None:
    """Give the period a new generation in SQL: from here on nobody decides or reads under the old one.

    None where somebody else has. ``distrust`` is for a server that nobody knows: whoever settled the period on another
    one has worked for nothing.
    """
    number, memory = generations.draw(), _memory(period)
    if memory.generation >= number:
        generations.lift(memory.generation)
        number = generations.draw()
    with transaction.atomic():
        barrier.hold_exclusive(period.pk, patience=ALONE_WITHIN_SECONDS)
        present = Period.objects.select_related("board").get(pk=period.pk)
        if present.generation != period.generation or present.state not in _LIVING:
            return None
        lost = _is_lost(present, memory)
        present.generation, present.stale_since = number, present.stale_since or clock.now()
        present.whole, present.rebuilt = lost, 0
        if lost:
            present.emptied_at = number
        if distrust:
            present.settling_until = None
        present.save(update_fields=[*("generation", "stale_since", "whole", "rebuilt"), "emptied_at", "settling_until"])
        failpoint("settle.before_commit")
    failpoint("settle.after_generation")
    return _Judged(present, memory, lost)


def _distrust(period: Period) -> _Judged | None:
    """The same for a server that nobody knows. A hybrid period that somebody keeps to himself is judged later."""
    try:
        return _supersede(period, distrust=True)
    except SqlBusy:
        if period.board.storage == Storage.REDIS:
            raise
        ZsetSettler(redis.settling()).forget_generation(period)  # till then nobody reads it there, or writes
        return None


def _take_over(judged: _Judged) -> int | None:
    """Mark what the memory lacks, then give Redis the number; its sequence, None where it is another memory by now."""
    period = judged.period
    if not judged.lost and period.board.storage == Storage.HYBRID and judged.memory.generation:
        mark_since(period, judged.memory.followed)
        failpoint("settle.after_marked")
    sequence = ZsetSettler(redis.settling()).renew(period, period.generation, judged.memory, empty=judged.lost)
    failpoint("settle.after_renew")
    return sequence


def _is_lost(period: Period, memory: Memory) -> bool:
    """Whether what Redis remembers is worth nothing.

    Where Redis decides, memory of another generation may hold what SQL never saw: it was rolled back, or a
    settle was cut off after its first step. Only no generation at all is lost memory there. Where SQL decides, memory
    must be no older than the generation under which all was put last, and must tell up to where it has followed.
    """
    if period.board.storage == Storage.REDIS:
        return period.whole or memory.generation == 0
    of_this_course = period.emptied_at <= memory.generation <= period.generation and memory.generation > 0
    return period.whole or not of_this_course or not 0 < memory.followed <= followed()


def _put(period: Period, go_on: Callable[[int], None]) -> bool:
    """Show what Redis lacks of a hybrid period: all of it while ``whole``, who is marked, who was announced."""
    if period.whole and not put_all(period, go_on):
        return False
    put_marked(period, go_on)
    reconcile(period)
    return True


def _go_on(period: Period, tell: Tell, put: int) -> None:
    """Renew the lease, and say how far we are."""
    period.rebuilt += put
    mine = Period.objects.filter(pk=period.pk, generation=period.generation)
    mine.update(settling_until=clock.now() + _length(period), rebuilt=period.rebuilt)
    tell(period)


def _declare_settled(period: Period) -> bool:
    """The last step, behind the barrier: only if nothing is marked and nobody renewed meanwhile."""
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        if Standing.objects.filter(period=period, unput=True).exists():
            return False
        mine = Period.objects.filter(pk=period.pk, generation=period.generation)
        settled = bool(mine.update(stale_since=None, whole=False))
        failpoint("settle.before_declared")
    failpoint("settle.after_declared")
    return settled
