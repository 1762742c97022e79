"""Moving the end of a competition's period that runs: scores that hold the time left to it are packed anew.

One transaction behind the exclusive barrier, so all of it or nothing. In it the period gets a new generation, so
that nobody reads or writes Redis by the old layout; settling then rebuilds Redis as a whole, and until it has,
SQL answers. The trap: where Redis decides, what is dirty is copied once more after its writers are out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from foundation.db.pipeline import StatementRunner
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.sync import barrier, generations
from leaderboards.core.packing.layout import Layout, choose_layout
from leaderboards.core.ranking.policies import StandingState
from leaderboards.errors import BadBoard, OutOfRange, StorageUnavailable
from leaderboards.models import Period, PeriodState, Standing, Storage
from leaderboards.services.sync.mirror import dead_letters_of, mirror, mirror_remaining
from leaderboards.services.sync.resync_periods import resync_now
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.sql.writes import StandingRow, state_of, write_standings

CHUNK = 5000

_Row = tuple[int, str, int | None, list[int] | None, datetime | None, int]
_ROW = ("player_id", "player__external_id", "points", "fields", "at", "version")


def move_end(period: Period, ends_at: datetime, at: datetime, only_later: bool = False) -> None:
    """Let ``period`` end at ``ends_at``; where it ends there already, or later with ``only_later``, nothing changes.

    Order and ties stay as they are, as far as the new layout tells times apart. Raises ``BadBoard`` where it
    cannot be, and ``Unavailable`` while Redis, which decides for the board, is away or being settled. In a
    caller's transaction it takes effect, and settles, with that.
    """
    if period.board.storage == Storage.REDIS:
        mirror(period)  # beforehand, so that behind the barrier little is left to copy
    number = generations.next_generation()
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)
        period.refresh_from_db()
        if period.ends_at == ends_at or (only_later and period.ends_at and period.ends_at > ends_at):
            return
        layout = _layout_until(period, ends_at, at)
        if (layout.slots, layout.tail) != (period.layout.slots, period.layout.tail):
            _lock_redis_out(period, number, at)
            _repack(period, layout)
        period.ends_at = ends_at
        period.save(update_fields=["ends_at"])
        period.refresh_from_db()
        failpoint("extend.before_commit")
        transaction.on_commit(lambda: _settle(period))


def _layout_until(period: Period, ends_at: datetime, at: datetime) -> Layout:
    """How scores are packed until the new end. Raises ``BadBoard``."""
    if not period.board.is_event:
        raise BadBoard("This period's end follows from the calendar: it cannot be moved.", "ends_at")
    if period.state != PeriodState.OPEN or period.ends_at is None or period.ends_at <= at:
        raise BadBoard("It has ended: its end cannot be moved any more.", "ends_at")
    if ends_at <= at or (period.starts_at and ends_at <= period.starts_at):
        raise BadBoard("The new end must lie ahead of now and behind the start: choose a later time.", "ends_at")
    try:
        return choose_layout(period.rules, replace(period.window, ends_at=ends_at))
    except BadBoard as error:
        raise BadBoard(f"It would run too long, choose an earlier end: {error.detail}", "ends_at") from error


def _lock_redis_out(period: Period, number: int, at: datetime) -> None:
    """From here on Redis is away for this period, until it is settled anew; what SQL lacks is copied."""
    if period.board.storage == Storage.SQL:
        return
    if period.board.storage == Storage.REDIS:
        _refuse_unsettled(period)
        _let_sql_follow(period, number)
    period.generation = number
    period.stale_since, period.needs_full_rebuild, period.lease_expires_at = period.stale_since or at, True, None
    period.save(update_fields=["generation", "stale_since", "needs_full_rebuild", "lease_expires_at"])


def _let_sql_follow(period: Period, number: int) -> None:
    """Where Redis decides: shut its writers out, and copy the rest."""
    if not ZsetSync(redis.exclusive_client()).replace_generation(period, number):
        raise StorageUnavailable("Redis was given another generation meanwhile; try again in a moment.")
    failpoint("extend.after_renew")
    period.generation = number
    mirror_remaining(period)
    _refuse_unsettled(period)


def _refuse_unsettled(period: Period) -> None:
    """SQL must have everything that Redis decided, before Redis is rebuilt from it."""
    if period.stale_since is not None:
        raise StorageUnavailable("Its standings in Redis are being settled; try again in a moment.")
    if count := dead_letters_of(period).count():
        raise StorageUnavailable(f"{count} standings are set aside as dead letters: retry or drop them first.")


def _repack(period: Period, layout: Layout) -> None:
    for chunk in _chunks(period):
        try:
            write_standings(StatementRunner(), period, [_packed(layout, row) for row in chunk])
        except OutOfRange as error:
            raise BadBoard(f"A standing does not fit with the new end: {error.detail}", "ends_at") from error
        failpoint("extend.after_chunk")


def _chunks(period: Period) -> Iterator[Sequence[_Row]]:
    rows = Standing.objects.filter(period=period, score__isnull=False).order_by("player_id").values_list(*_ROW)
    last = 0
    while chunk := list(rows.filter(player__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1][0]


def _packed(layout: Layout, row: _Row) -> StandingRow:
    player_id, name, points, fields, at, version = row
    old = state_of(points, fields, at)
    state = StandingState(old.value, layout.quantize(old.at_ms))
    packed = layout.pack(state.value, state.at_ms, name)
    return StandingRow(player_id, name, packed.member, state, packed.score, version)


def _settle(period: Period) -> None:
    """Now, so that nobody waits for the schedule; what cannot be done now, the schedule does."""
    failpoint("extend.after_commit")
    if period.stale_since is not None:
        resync_now(period)
        period.refresh_from_db()
