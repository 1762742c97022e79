"""Close periods: ``open → closing → final``.

The steps: the state changes under the exclusive barrier, so that earlier submissions count and later ones are refused;
a redis board is closed in Redis too, mirrored completely and compared, and the standings of a board in DynamoDB are
copied; final standings are written and hashed; then the keys get a time to live. Each step can be interrupted and run
again.
"""

import logging
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge
from itertools import zip_longest

from django.db import transaction
from django.db.models import F

from foundation import clock
from foundation.errors import SunwiError, Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.sync import barrier
from foundation.worker.each import for_each
from leaderboards import metrics
from leaderboards.core.periods import event_number, window_of
from leaderboards.models import ACTIVE_STATES, IN_REDIS, OVER_STATES, Period, PeriodState, Standing, Storage
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.selectors.monitoring.backfills import without_backfilled
from leaderboards.services import events
from leaderboards.services.periods.announce import announce_final
from leaderboards.services.periods.copy_dynamodb import copy_to_sql
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.mirror import dead_letters_of, dropped_players, mirror
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.sql.final import content_hash, write_final_standings

logger = logging.getLogger(__name__)

COMPARE_CHUNK = 1000
_Row = tuple[str, float | None]  # member, score
AWAY = "Redis, which decides for this board, is away"
DYNAMODB_AWAY = "DynamoDB, which decides for this board, is away"


class NotReadyToClose(Unavailable):
    """A period cannot become final yet; ``detail`` says why."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The result of closing; if not ``final``, ``detail`` says what closing waits for."""

    board: int
    label: str
    final: bool
    players: int
    detail: str = ""


def close_due(at: datetime) -> list[Closed]:
    """Close every period whose grace is over, oldest first.

    A period that was opened after its end is being backfilled: the import closes it, or this does after
    ``BACKFILL_TIMEOUT`` (``backfills.py``) without a heartbeat of the import. Errors are raised together at the end.
    """
    ended = Period.objects.filter(state__in=ACTIVE_STATES, ends_at__lte=at)
    due = [
        period
        for period in without_backfilled(ended.select_related("board").order_by("ends_at", "pk"), at)
        if _accepts_until(period) <= at
    ]
    return for_each(due, lambda period: close_period(period, at))


def is_due(period: Period, at: datetime) -> bool:
    """Whether the grace of an open or closing period is over, and no import fills it."""
    is_over = period.state in ACTIVE_STATES and period.ends_at is not None and period.ends_at <= at
    return is_over and _accepts_until(period) <= at and bool(without_backfilled([period], at))


def _accepts_until(period: Period) -> datetime:
    """Return the end of the grace after the row's end or the calendar's, whichever is later.

    They differ if the zone's rules have changed since the period began; submissions go by the calendar.
    """
    ends = [period.ends_at]
    if not period.board.is_event:
        with suppress(SunwiError):  # the calendar has no such window or zone any more
            ends.append(window_of(period.board.calendar, period.label).ends_at)
    return max(each for each in ends if each) + timedelta(seconds=period.board.grace_seconds)


def close_period(period: Period, at: datetime) -> Closed:
    """Close a period as far as that is possible now."""
    started = clock.monotonic()
    try:
        return _close(period, at)
    finally:
        metrics.observe_close(clock.monotonic() - started)


def _close(period: Period, at: datetime) -> Closed:
    stop_accepting(period)
    if period.state == PeriodState.OPEN:
        return _report(period, "its end was moved")
    failpoint("close.after_stop")
    try:
        if period.board.storage == Storage.REDIS and period.state == PeriodState.CLOSING:
            _drain(period)
        elif period.board.storage == Storage.DYNAMODB and period.state == PeriodState.CLOSING:
            copy_to_sql(period)
    except Unavailable as error:
        logger.warning("closing of period %s waits: %s", period.pk, error.detail)
        away = AWAY if period.board.storage == Storage.REDIS else DYNAMODB_AWAY
        return _report(period, error.detail if isinstance(error, NotReadyToClose) else away)
    failpoint("close.after_drain")
    _make_final(period, at)
    failpoint("close.after_final")
    if period.board.storage in IN_REDIS:
        _expire_keys(period)
        failpoint("close.after_expiry")
    return _report(period)


def stop_accepting(period: Period) -> None:
    """Make the period refuse submissions, unless its end was moved since the row was read."""
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        unmoved = Period.objects.filter(pk=period.pk, state=PeriodState.OPEN, ends_at=period.ends_at)
        unmoved.update(state=PeriodState.CLOSING)
        invalidate_readers(period)
    clear_period_cache()
    period.refresh_from_db()


def _drain(period: Period) -> None:
    """Close the period in Redis, mirror what SQL lacks, and check that both have the same standings."""
    store = ZsetSync(redis.boards())
    for part in period.parts:
        store.close(part)
    failpoint("close.after_closed_in_redis")
    mirror(period)
    period.refresh_from_db()
    if period.is_stale:
        raise NotReadyToClose("its standings in Redis are being resynced")
    if letters := dead_letters_of(period).count():
        raise NotReadyToClose(f"{letters} standings are set aside as dead letters: retry or drop them")
    if dirty := sum(store.dirty(part, 1)[0] for part in period.parts):
        raise NotReadyToClose(f"{dirty} standings are not mirrored yet")
    _compare(period, store)


def _compare(period: Period, store: ZsetSync) -> None:
    """Compare Redis and SQL row by row, without players whose dead letter was dropped. Raises ``NotReadyToClose``.

    There are no writes any more, so both can be read in order.
    """
    dropped = dropped_players(period)
    ranked = Standing.objects.filter(period=period, score__isnull=False).order_by("score", "member")
    in_sql = ranked.values_list("member", "score").iterator(chunk_size=COMPARE_CHUNK)
    in_redis = merge(*(store.iterate_ordered(part, COMPARE_CHUNK) for part in period.parts), key=_by_score_and_member)
    pairs = zip_longest(_without(dropped, period, in_sql), _without(dropped, period, in_redis))
    if any(one != other for one, other in pairs):
        raise NotReadyToClose("a standing in Redis is not the one in SQL; `verify --repair` compares them one by one")


def _by_score_and_member(row: _Row) -> tuple[float | None, bytes]:
    member, score = row
    return score, member.encode()


def _without(players: Collection[str], period: Period, rows: Iterable[_Row]) -> Iterator[_Row]:
    return (row for row in rows if not players or period.layout.player_of(row[0]) not in players)


@transaction.atomic
def _make_final(period: Period, at: datetime) -> None:
    barrier.hold_exclusive(period.pk)
    period.refresh_from_db()
    if period.state != PeriodState.CLOSING:
        return
    _unrank_departed(period)
    period.players = write_final_standings(period)
    period.content_hash = content_hash(period)
    period.state, period.closed_at = PeriodState.FINAL, at
    period.save(update_fields=["players", "content_hash", "state", "closed_at"])
    if not period.board.is_event:
        announce_final(period, at)
    invalidate_readers(period)
    failpoint("close.before_final")


def _unrank_departed(period: Period) -> None:
    """Unrank players who left the event or were disqualified: a concurrent submission may have ranked them again."""
    number = event_number(period.label) if period.board.is_event else None
    departed = events.source().players_who_left(number) if number is not None else ()
    standings = Standing.objects.filter(period=period, player__in=departed, score__isnull=False)
    standings.update(score=None, points=None, fields=None, at=None, version=F("version") + 1)


def _expire_keys(period: Period) -> None:
    """Set the time to live of a final period's keys. If Redis is unavailable, retention deletes them later."""
    try:
        for part in period.parts:
            ZsetSync(redis.boards()).expire(part, timedelta(days=period.board.retention_days))
    except Unavailable as error:
        logger.warning("the keys of period %s get no time to live for now: %s", period.pk, error.detail)


def _report(period: Period, detail: str = "") -> Closed:
    players = Standing.objects.filter(period=period, score__isnull=False).count()
    return Closed(period.board_id, period.label, period.state in OVER_STATES, players, detail)
