"""Move the end of a competition's running period, and repack scores that hold the time left to it.

This is one transaction under the exclusive barrier. The period gets a new generation in it, so that Redis is neither
read nor written by the old layout; then a resync rebuilds Redis, and SQL answers until that is done. The trap: where
Redis decides, dirty standings are mirrored once more after its writers are locked out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from foundation.db.pipeline import StatementRunner
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.redis import client as redis
from foundation.sync import barrier, generations
from leaderboards.core.packing.layout import Layout, choose_layout
from leaderboards.errors import BadBoard, OutOfRange, StorageUnavailable
from leaderboards.models import Period, PeriodState, Standing, Storage
from leaderboards.services.sync.mirror import dead_letters_of, mirror, mirror_remaining
from leaderboards.services.sync.resync_periods import resync_now
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.sql.writes import StandingRow, state_of, write_standings

CHUNK = 5000

_Row = tuple[int, str, int | None, list[int] | None, datetime | None, str | None, int]
_ROW = ("player_id", "player__external_id", "points", "fields", "at", "metadata", "version")


def move_end(period: Period, ends_at: datetime, at: datetime, only_later: bool = False) -> None:
    """Move the period's end to ``ends_at``; with ``only_later`` never to an earlier time.

    Order and ties stay the same, as far as the new layout distinguishes times. Raises ``BadBoard``, and
    ``Unavailable`` if Redis decides for the board and is unavailable or being resynced. In a caller's transaction, the
    change and the resync wait for its commit.
    """
    if period.board.storage == Storage.REDIS:
        mirror(period)  # so that little is left to copy under the barrier
    generation = generations.next_generation()
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        period.refresh_from_db()
        if period.ends_at == ends_at or (only_later and period.ends_at and period.ends_at > ends_at):
            return
        layout = _layout_until(period, ends_at, at)
        if (layout.slots, layout.tail) != (period.layout.slots, period.layout.tail):
            _lock_out_redis(period, generation, at)
            _repack(period, layout)
        period.ends_at = ends_at
        period.save(update_fields=["ends_at"])
        period.refresh_from_db()
        failpoint("extend.before_commit")
        transaction.on_commit(lambda: _resync(period))


def _layout_until(period: Period, ends_at: datetime, at: datetime) -> Layout:
    """Return the layout for the new end. Raises ``BadBoard``."""
    if not period.board.is_event:
        raise BadBoard(Message("This period's end follows from the calendar: it cannot be moved."), "ends_at")
    if period.state != PeriodState.OPEN or period.ends_at is None or period.ends_at <= at:
        raise BadBoard(Message("It has ended: its end cannot be moved any more."), "ends_at")
    if ends_at <= at or (period.starts_at and ends_at <= period.starts_at):
        raise BadBoard(
            Message("The new end must lie ahead of now and behind the start: choose a later time."), "ends_at"
        )
    try:
        return choose_layout(period.rules, replace(period.window, ends_at=ends_at))
    except BadBoard as error:
        raise BadBoard(
            Message("It would run too long, choose an earlier end: %(why)s", why=error.detail), "ends_at"
        ) from error


def _lock_out_redis(period: Period, generation: int, at: datetime) -> None:
    """Mark the period for a full rebuild under a new generation; where Redis decides, mirror what SQL lacks first."""
    if period.board.storage == Storage.SQL:
        return
    if period.board.storage == Storage.REDIS:
        _require_mirrored(period)
        _mirror_last_writes(period, generation)
    period.generation = generation
    period.stale_since, period.needs_full_rebuild, period.lease_expires_at = period.stale_since or at, True, None
    period.save(update_fields=["generation", "stale_since", "needs_full_rebuild", "lease_expires_at"])


def _mirror_last_writes(period: Period, generation: int) -> None:
    """Where Redis decides: lock its writers out with the new generation, and mirror what is still dirty."""
    if not ZsetSync(redis.exclusive_client()).replace_generation(period, generation):
        raise StorageUnavailable(Message("Redis was given another generation meanwhile; try again in a moment."))
    failpoint("extend.after_renew")
    period.generation = generation
    mirror_remaining(period)
    _require_mirrored(period)


def _require_mirrored(period: Period) -> None:
    """Raise ``StorageUnavailable`` if SQL may lack something that Redis has, since Redis is rebuilt from SQL."""
    if period.stale_since is not None:
        raise StorageUnavailable(Message("Its standings in Redis are being brought up to date; try again in a moment."))
    if count := dead_letters_of(period).count():
        raise StorageUnavailable(
            Message("%(number)s standings are set aside as dead letters: retry or drop them first.", number=count)
        )


def _repack(period: Period, layout: Layout) -> None:
    for chunk in _chunks(period):
        try:
            write_standings(StatementRunner(), period, [_repack_row(layout, row) for row in chunk])
        except OutOfRange as error:
            raise BadBoard(
                Message("A standing does not fit with the new end: %(why)s", why=error.detail), "ends_at"
            ) from error
        failpoint("extend.after_chunk")


def _chunks(period: Period) -> Iterator[Sequence[_Row]]:
    rows = Standing.objects.filter(period=period, score__isnull=False).order_by("player_id").values_list(*_ROW)
    last = 0
    while chunk := list(rows.filter(player__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1][0]


def _repack_row(layout: Layout, row: _Row) -> StandingRow:
    player_id, name, points, fields, at, metadata, version = row
    old = state_of(points, fields, at, metadata)
    state = old._replace(at_ms=layout.quantize(old.at_ms))
    packed = layout.pack(state.value, state.at_ms, name, player_id)
    return StandingRow(player_id, name, packed.member, state, packed.score, version)


def _resync(period: Period) -> None:
    """Resync at once; if that fails, the worker does it."""
    failpoint("extend.after_commit")
    if period.stale_since is not None:
        resync_now(period)
        period.refresh_from_db()
