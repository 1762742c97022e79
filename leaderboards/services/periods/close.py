"""A period's end: ``open → closing → final``.

The order of effects: the barrier turns the state, so that who came before is counted and who
comes after is refused; a redis board is closed in Redis too, mirrored to the last standing and
compared; ranks are written and hashed; only then do its keys get a time to live. Each step may be
cut off and run again.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest

from django.db import transaction
from django.db.models import F

from foundation import clock
from foundation.errors import SunwiError, Unavailable
from foundation.failpoints import failpoint
from foundation.models import Heartbeat
from foundation.redis import client as redis
from foundation.sync import barrier
from foundation.worker.each import for_each
from leaderboards import metrics
from leaderboards.core.periods import event_number, window_of
from leaderboards.models import Period, PeriodState, Standing, Storage
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.services import events
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.services.sync.mirror import dead_letters_of, dropped_players, mirror
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.sql.final import content_hash, write_final_standings

logger = logging.getLogger(__name__)

BACKFILL_TIMEOUT = timedelta(hours=1)
BACKFILL = "backfill of board "
COMPARED_AT_ONCE = 1000
_Row = tuple[str, float | None]  # member, score
AWAY = "Redis, which decides for this board, is away"


class NotReadyToClose(Unavailable):
    """A period cannot become final yet; ``detail`` says why."""


@dataclass(frozen=True, slots=True)
class Closed:
    """What closing found: ``final`` is False where it has to wait, and ``detail`` says for what."""

    board: int
    label: str
    final: bool
    players: int
    detail: str = ""


def close_due(at: datetime) -> list[Closed]:
    """Close every period that ended more than its board's grace ago, oldest first.

    One that was opened after its end is being backfilled: its import closes it, or we do if that died, which we take
    for granted once nothing was heard of it for ``BACKFILL_TIMEOUT``.
    One that cannot be closed keeps no other waiting; what failed is raised at the end.
    """
    due = Period.objects.filter(state__in=(PeriodState.OPEN, PeriodState.CLOSING), ends_at__lte=at).select_related(
        "board"
    )
    heard = dict(Heartbeat.objects.filter(name__startswith=BACKFILL).values_list("name", "beat_at"))
    over = [
        period
        for period in due.order_by("ends_at", "pk")
        if _takes_until(period) <= at and not _is_backfilled(period, heard, at)
    ]
    return for_each(over, lambda period: close_period(period, at))


def _takes_until(period: Period) -> datetime:
    """Its grace after its end: where a zone's rules have changed since it began, that of its row or by the calendar.

    Submissions go by the calendar, so the later one counts.
    """
    ends = [period.ends_at]
    if not period.board.is_event:
        with suppress(SunwiError):  # no such window, or zone, any more: the row alone says when
            ends.append(window_of(period.board.calendar, period.label).ends_at)
    return max(each for each in ends if each) + timedelta(seconds=period.board.grace_seconds)


def backfill_heartbeat_name(board: int) -> str:
    """The name under which an import of a board's past gives signs of life."""
    return f"{BACKFILL}{board}"


def _is_backfilled(period: Period, heard: Mapping[str, datetime], at: datetime) -> bool:
    """Whether an import is at it: it was opened after its end, and that or the last sign of life is not long ago."""
    if period.state != PeriodState.OPEN or period.ends_at is None or period.created_at <= period.ends_at:
        return False
    last = max(period.created_at, heard.get(backfill_heartbeat_name(period.board_id), period.created_at))
    return last > at - BACKFILL_TIMEOUT


def close_period(period: Period, at: datetime) -> Closed:
    """Bring one period to its end, as far as that is possible now."""
    begun = clock.monotonic()
    try:
        return _closed(period, at)
    finally:
        metrics.observe_close(clock.monotonic() - begun)


def _closed(period: Period, at: datetime) -> Closed:
    stop_accepting(period)
    if period.state == PeriodState.OPEN:
        return _report(period, "its end was moved")
    failpoint("close.after_stop")
    try:
        if period.board.storage == Storage.REDIS and period.state == PeriodState.CLOSING:
            _drain(period)
    except Unavailable as error:
        logger.warning("closing of period %s waits: %s", period.pk, error.detail)
        return _report(period, error.detail if isinstance(error, NotReadyToClose) else AWAY)
    failpoint("close.after_drain")
    _make_final(period, at)
    failpoint("close.after_final")
    if period.board.storage != Storage.SQL:
        _let_keys_expire(period)
        failpoint("close.after_expiry")
    return _report(period)


def stop_accepting(period: Period) -> None:
    """Let ``period`` take no more scores, unless its end was moved since the row was read."""
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        as_known = Period.objects.filter(pk=period.pk, state=PeriodState.OPEN, ends_at=period.ends_at)
        as_known.update(state=PeriodState.CLOSING)
        invalidate_readers(period)
    clear_period_cache()
    period.refresh_from_db()


def _drain(period: Period) -> None:
    """Close the period in Redis, copy what SQL lacks, and see that both have the same standings."""
    settler = ZsetSync(redis.boards())
    settler.close(period)
    failpoint("close.after_closed_in_redis")
    mirror(period)
    period.refresh_from_db()
    if period.stale_since is not None:
        raise NotReadyToClose("its standings in Redis are being settled")
    if aside := dead_letters_of(period).count():
        raise NotReadyToClose(f"{aside} standings are set aside as dead letters: retry or drop them")
    if dirty := settler.dirty(period, 1)[0]:
        raise NotReadyToClose(f"{dirty} standings are not mirrored yet")
    _compare(period, settler)


def _compare(period: Period, settler: ZsetSync) -> None:
    """Side by side, by score and member: both have the same, but for standings that somebody has given up.

    Nobody writes any more, so that both orders stand still while we walk.
    """
    dropped = dropped_players(period)
    ranked = Standing.objects.filter(period=period, score__isnull=False).order_by("score", "member")
    in_sql = ranked.values_list("member", "score").iterator(chunk_size=COMPARED_AT_ONCE)
    in_redis = settler.iterate_ordered(period, COMPARED_AT_ONCE)
    pairs = zip_longest(_without(dropped, period, in_sql), _without(dropped, period, in_redis))
    if any(one != other for one, other in pairs):
        raise NotReadyToClose("a standing in Redis is not the one in SQL; `verify --repair` compares them one by one")


def _without(players: Collection[str], period: Period, rows: Iterable[_Row]) -> Iterator[_Row]:
    return (row for row in rows if not players or period.layout.player_of(row[0]) not in players)


@transaction.atomic
def _make_final(period: Period, at: datetime) -> None:
    barrier.hold_exclusive(period.pk)
    period.refresh_from_db()
    if period.state != PeriodState.CLOSING:
        return
    _leave_out_gone(period)
    period.players = write_final_standings(period)
    period.content_hash = content_hash(period)
    period.state, period.closed_at = PeriodState.FINAL, at
    period.save(update_fields=["players", "content_hash", "state", "closed_at"])
    invalidate_readers(period)
    failpoint("close.before_final")


def _leave_out_gone(period: Period) -> None:
    """Those who left an event or were disqualified in it: a score under way then may have brought them back."""
    number = event_number(period.label) if period.board.is_event else None
    gone = events.source().gone(number) if number is not None else ()
    standings = Standing.objects.filter(period=period, player__in=gone, score__isnull=False)
    standings.update(score=None, points=None, fields=None, at=None, version=F("version") + 1)


def _let_keys_expire(period: Period) -> None:
    """Give the keys of a final period their time to live; one that Redis misses is given it by the next run."""
    try:
        ZsetSync(redis.boards()).expire(period, timedelta(days=period.board.retention_days))
    except Unavailable as error:
        logger.warning("the keys of period %s keep for now: %s", period.pk, error.detail)


def _report(period: Period, detail: str = "") -> Closed:
    players = Standing.objects.filter(period=period, score__isnull=False).count()
    return Closed(
        period.board_id, period.label, period.state in (PeriodState.FINAL, PeriodState.EXPIRED), players, detail
    )
