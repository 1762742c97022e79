"""The periods of a request: each item gets its period, looked up or opened once.

What refuses an entry by its time is here: the future, a period that has closed, a retired board, a competition that
does not run.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import SunwiError
from foundation.messages import Message
from leaderboards.core.input.entries import Entry, read_value
from leaderboards.core.instants import milliseconds
from leaderboards.core.packing.layout import Layout
from leaderboards.core.periods import Window, window_at
from leaderboards.errors import BadEntry, NotStarted, PeriodClosed, RequestExpired, TimeInFuture
from leaderboards.models import WITHOUT_SUBMISSIONS, Board, Period, PeriodState, Storage
from leaderboards.selectors.catalog.boards import board_by_seq
from leaderboards.selectors.catalog.periods import cached_period, period_by_label
from leaderboards.selectors.moderation.purges import IN_FLIGHT_MARGIN
from leaderboards.services.events import Event
from leaderboards.services.periods.open import begins_after_retirement, open_period
from leaderboards.services.submit.items import Item, Request, Target

FUTURE_TOLERANCE = timedelta(seconds=5)
MAX_REQUEST_AGE = IN_FLIGHT_MARGIN / 2  # the other half is for the transaction, and for clocks that differ


def refuse_delayed(items: Sequence[Item]) -> None:
    """Raise ``RequestExpired`` if the request of these items is older than ``MAX_REQUEST_AGE``.

    A purge waits that long for requests under way, and then looks no more. Call it under the locks.
    """
    arrived = items[0].arrived
    if arrived is not None and clock.monotonic() - arrived > MAX_REQUEST_AGE.total_seconds():
        raise RequestExpired(Message("The request was held up for too long before it was decided; try again."))


def quantized_time(layout: Layout, happened: datetime) -> int:
    """The time as the layout stores it, in ms since 1970. Raises ``OutOfRange`` if its scores have no room for it."""
    at_ms = layout.quantize(milliseconds(happened))
    if layout.time_slot:
        layout.time_slot.encode((), at_ms)
    return at_ms


class _NotOpened(Exception):
    """The period does not exist yet."""


class Periods:
    """The periods of one request: each is looked up, or opened, once."""

    def __init__(self, request: Request) -> None:
        self._at = request.at
        self._is_backfill = request.is_backfill
        self._in_batch = request.in_batch
        self._arrived = None if request.is_backfill else clock.monotonic()
        self._by_label: dict[tuple[int, str], Period] = {}
        # By board, competition and times (when it happened, when it was received). Most entries of a request share
        # them, and computing a window is slow.
        self._by_time: dict[tuple[int, int | None, datetime, datetime], tuple[Period, int]] = {}

    def item_if_period_open(self, target: Target) -> Item | None:
        """The item, ``id_unchecked`` if it has an id, if its period is open already. Nothing is written.

        None if there is no such period, or if ``item`` would refuse the entry.
        """
        try:
            return self._item(target, opens=False)._replace(id_unchecked=target.entry.external_id is not None)
        except (_NotOpened, SunwiError, *CONNECTION_ERRORS):
            return None

    def item(self, target: Target) -> Item:
        """The item; its period is opened. Raises ``TimeInFuture``, ``NotStarted``, ``PeriodClosed``, ``BadPoints`` …"""
        return self._item(target, opens=True)

    def _item(self, target: Target, opens: bool) -> Item:
        entry = target.entry
        received = entry.received_at or self._at
        happened = _time_of(entry, received)
        key = (target.board.seq, entry.competition, happened, received)
        period_and_time = self._by_time.get(key)
        if period_and_time is None:
            period = self._period(target, happened, received, opens)
            period_and_time = self._by_time[key] = (period, quantized_time(period.layout, happened))
        period, at_ms = period_and_time
        value = read_value(period.rules, entry)
        if entry.metadata is not None and target.board.storage in WITHOUT_SUBMISSIONS:
            raise BadEntry(
                Message("A board that Redis decides keeps no `metadata`: leave it out, or use a hybrid board.")
                if target.board.storage == Storage.REDIS
                else Message("A board in DynamoDB keeps no `metadata`: leave it out, or use a hybrid board.")
            )
        return Item(entry, period, value, at_ms, target.event, self._arrived, in_batch=self._in_batch)

    def _period(self, target: Target, happened: datetime, received: datetime, opens: bool) -> Period:
        board, event = target.board, target.event
        window = event.window if event else window_at(board.calendar, happened)
        period = self._by_label.get((board.seq, window.label)) or self._stored(target, window.label)
        if event:
            _refuse_outside(event, window, happened)
            if period:  # while an end is being moved, the period may end at another time than its competition
                _refuse_outside(event, period.window, happened)
        self._refuse_by_calendar(board, window, received)
        if period is None and not opens:
            raise _NotOpened
        period = period or self._open(board, window, received)
        period.board = board
        self._by_label[board.seq, window.label] = period
        if period.state != PeriodState.OPEN:
            raise PeriodClosed(Message("Period %(period)s is closed.", period=window.label))
        return period

    def _stored(self, target: Target, label: str) -> Period | None:
        """The stored period. A competition's end can be moved, so its period is not taken from the cache."""
        if target.event:
            return period_by_label(target.board, label)
        return cached_period(target.board, label, self._at)

    def _open(self, board: Board, window: Window, received: datetime) -> Period:
        """Open the period by the board as it is now: a period keeps the rules that it opens with."""
        present = board_by_seq(board.seq)
        self._refuse_by_calendar(present, window, received)
        return open_period(present, window)

    def _refuse_by_calendar(self, board: Board, window: Window, received: datetime) -> None:
        if begins_after_retirement(board, window):
            raise PeriodClosed(Message("The board is retired."))
        grace = timedelta(seconds=board.grace_seconds)
        if window.ends_at and received >= window.ends_at + grace and not self._is_backfill:
            raise PeriodClosed(
                Message(
                    "Period %(period)s closed on %(when)s UTC.",
                    period=window.label,
                    when=f"{window.ends_at + grace:%Y-%m-%d %H:%M:%S}",
                )
            )


def _time_of(entry: Entry, received: datetime) -> datetime:
    """When the entry happened. Raises ``TimeInFuture``."""
    if entry.at is None:
        return received
    if entry.at > received + FUTURE_TOLERANCE:
        raise TimeInFuture(
            Message("`at` lies in the future; send it when it has happened, or correct the sender's clock.")
        )
    return min(entry.at, received)


def _refuse_outside(event: Event, window: Window, happened: datetime) -> None:
    if window.starts_at and happened < window.starts_at:
        raise NotStarted(
            Message(
                "Competition %(number)s starts on %(starts)s UTC.",
                number=event.number,
                starts=f"{window.starts_at:%Y-%m-%d %H:%M:%S}",
            )
        )
    if not window.contains(happened):
        raise PeriodClosed(
            Message(
                "Competition %(number)s ended on %(ends)s UTC.",
                number=event.number,
                ends=f"{window.ends_at:%Y-%m-%d %H:%M:%S}",
            )
        )
