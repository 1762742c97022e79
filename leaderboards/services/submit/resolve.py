"""From an entry as sent to an item that a store can judge: which board or event, which period, what value.

The trap: an id is looked up before anything about time refuses its entry (``services/submit/duplicates.py``), so that a
repetition is known as one also after its period has turned. Nothing here writes but the opening of a period.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import SunwiError, Unavailable
from leaderboards.core.input.entries import Entry, read_value
from leaderboards.core.instants import milliseconds
from leaderboards.core.packing.layout import Layout
from leaderboards.core.periods import Window, window_at
from leaderboards.core.submissions import Caller
from leaderboards.errors import (
    BadEntry,
    BoardForbidden,
    BoardReserved,
    NotJoined,
    NotStarted,
    PeriodClosed,
    RequestExpired,
    StorageUnavailable,
    TimeInFuture,
    UnknownBoard,
    UnknownCompetition,
)
from leaderboards.models import Board, Period, PeriodState
from leaderboards.selectors.catalog.boards import board_by_seq, cached_boards
from leaderboards.selectors.catalog.periods import cached_period, period_by_label
from leaderboards.selectors.catalog.reserved import refuse_reserved
from leaderboards.selectors.moderation.purges import IN_FLIGHT_MARGIN
from leaderboards.services import events
from leaderboards.services.events import Event
from leaderboards.services.periods.open import begins_after_retirement, open_period

FUTURE_TOLERANCE = timedelta(seconds=5)
MAX_REQUEST_AGE = IN_FLIGHT_MARGIN / 2  # what is left is for the transaction, and for clocks that differ
JOINED_TOLERANCE = FUTURE_TOLERANCE  # a sender's clock may be as far behind as it may be ahead


class Target(NamedTuple):
    """An entry and the board that it is for; ``event`` is its competition, None on calendar boards."""

    entry: Entry
    board: Board
    event: Event | None = None

    @property
    def hides_ranks(self) -> bool:
        """Whether its competition tells nobody their place now."""
        return self.event is not None and self.event.hides_ranks


class Item(NamedTuple):
    """An entry that has found its period; ``value`` is scaled, ``at_ms`` as the layout keeps it. ``arrived`` is when
    its request began to be decided, in this process's seconds; None where it may take as long as it does.

    ``id_unchecked``: it has an id, and nobody has looked up whether that was used before. ``in_batch``: its neighbours
    came with other requests, and are to wait for nothing that is its own.
    """

    entry: Entry
    period: Period
    value: tuple[int, ...]
    at_ms: int
    event: Event | None = None
    arrived: float | None = None
    id_unchecked: bool = False
    in_batch: bool = False


def refuse_delayed(items: Sequence[Item]) -> None:
    """Raise ``RequestExpired`` where the request of these items is older than ``MAX_REQUEST_AGE``: a purge has looked
    for what
    was under way by then, and looks no more. To be asked where nothing can come in between any more."""
    arrived = items[0].arrived
    if arrived is not None and clock.monotonic() - arrived > MAX_REQUEST_AGE.total_seconds():
        raise RequestExpired("The request was held up for too long before it was decided; try again.")


class _NotOpened(Exception):
    """The period is not there yet."""


class Targets:
    """The boards and competitions that one request names, each kind found at once."""

    def __init__(self, entries: Collection[Entry], caller: Caller, at: datetime) -> None:
        self._caller = caller
        self._found: dict[tuple[int | None, int | None], tuple[Board, Event | None] | SunwiError] = {}
        self._boards = cached_boards({entry.board for entry in entries if entry.board is not None})
        self._events = _named({entry.competition for entry in entries if entry.competition is not None}, at)

    def of(self, entry: Entry) -> Target | SunwiError:
        """What the entry is for, or what the caller must hear if there is nothing for them."""
        named = (entry.board, entry.competition)
        found = self._found.get(named)
        if found is None:
            found = self._found[named] = self._board(entry.board) if entry.board else self._event(entry.competition)
        return found if isinstance(found, SunwiError) else Target(entry, *found)

    def _board(self, seq: int) -> tuple[Board, None] | SunwiError:
        board = self._boards.get(seq)
        if board is None:
            return UnknownBoard(f"There is no board {seq}.")
        if board.is_event and self._reaches(board):
            return BadEntry(f"Board {seq} counts in competitions: send `competition` instead of `board`.")
        if not self._reaches(board):
            return _out_of_reach(board)
        return (board, None) if self._caller.may_write_reserved else _unless_reserved(board)

    def _event(self, number: int | None) -> tuple[Board, Event] | SunwiError:
        event = self._events.get(number or 0)
        if event is None:
            return UnknownCompetition(f"There is no competition {number}.")
        if isinstance(event, SunwiError):
            return event
        return (event.board, event) if self._reaches(event.board) else _out_of_reach(event.board)

    def _reaches(self, board: Board) -> bool:
        return self._caller.boards is None or board.seq in self._caller.boards


def _unless_reserved(board: Board) -> tuple[Board, None] | SunwiError:
    try:
        refuse_reserved(board)
    except BoardReserved as error:
        return error
    return board, None


def _out_of_reach(board: Board) -> BoardForbidden:
    return BoardForbidden(f"This key does not reach board {board.seq}.")


def _named(numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:
    try:
        return events.source().named(numbers, at) if numbers else {}
    except Unavailable:
        return dict.fromkeys(numbers, _cannot_be_asked())


def not_joined(targets: Iterable[Target]) -> dict[int, SunwiError]:
    """The refusals of those who do not take part in the competition that they name, or did not yet, by position.

    An entry without a time happens now. One with a time may lie 5 s before its player joined, by the sender's clock.
    """
    asked = [(each.entry, (each.event.number, each.entry.player)) for each in targets if each.event]
    try:
        joined = events.source().joined({pair for _, pair in asked}) if asked else {}
    except Unavailable:
        return {entry.position: _cannot_be_asked() for entry, _ in asked}
    judged = {entry.position: _absent(entry, pair, joined.get(pair)) for entry, pair in asked}
    return {position: refusal for position, refusal in judged.items() if refusal is not None}


def _absent(entry: Entry, pair: tuple[int, str], since: datetime | None) -> NotJoined | None:
    number, player = pair
    if since is None:
        return NotJoined(f"{player} does not take part in competition {number}: join first.")
    if entry.at is None or entry.at >= since - JOINED_TOLERANCE:
        return None
    return NotJoined(
        f"{player} takes part in competition {number} since {since:%Y-%m-%d %H:%M:%S} UTC: what happened before does"
        " not count. Send what happened since then; if this did, mend `at` or the sender's clock."
    )


def _cannot_be_asked() -> StorageUnavailable:
    return StorageUnavailable("The competition cannot be looked up now; try again.")


class Periods:
    """The periods that one request meets: each looked up, or opened, once."""

    def __init__(self, at: datetime, backfill: bool = False, in_batch: bool = False) -> None:
        self._at = at
        self._backfill = backfill
        self._in_company = in_batch
        self._arrived = None if backfill else clock.monotonic()
        self._found: dict[tuple[int, str], Period] = {}
        # By board, competition and moments (when it happened, and came): most entries of a request share them, and a
        # calendar takes its time.
        self._of_moment: dict[tuple[int, int | None, datetime, datetime], tuple[Period, int]] = {}

    def item_if_period_open(self, target: Target) -> Item | None:
        """The entry, ``id_unchecked`` if it has an id, in a period that is open already; None where there is none, or
        where
        ``item`` would refuse it. Nothing is written."""
        try:
            return self._item(target, opens=False)._replace(id_unchecked=target.entry.external_id is not None)
        except (_NotOpened, SunwiError, *CONNECTION_ERRORS):
            return None

    def item(self, target: Target) -> Item:
        """The entry in its period. Raises ``TimeInFuture``, ``NotStarted``, ``PeriodClosed``, ``BadPoints`` …"""
        return self._item(target, opens=True)

    def _item(self, target: Target, opens: bool) -> Item:
        happened = self._when(target.entry)
        moment = (target.board.seq, target.entry.competition, happened, self._came(target.entry))
        found = self._of_moment.get(moment)
        if found is None:
            period = self._period(target, happened, opens)
            found = self._of_moment[moment] = (period, quantized_time(period.layout, happened))
        period, at_ms = found
        value = read_value(period.rules, target.entry)
        return Item(target.entry, period, value, at_ms, target.event, self._arrived, in_batch=self._in_company)

    def _when(self, entry: Entry) -> datetime:
        came = self._came(entry)
        if entry.at is None:
            return came
        if entry.at > came + FUTURE_TOLERANCE:
            raise TimeInFuture("`at` lies in the future; send it when it has happened, or mend the sender's clock.")
        return min(entry.at, came)

    def _came(self, entry: Entry) -> datetime:
        return entry.received_at or self._at

    def _period(self, target: Target, happened: datetime, opens: bool) -> Period:
        board, event = target.board, target.event
        window = event.window if event else window_at(board.calendar, happened)
        period = self._found.get((board.seq, window.label)) or self._stored(target, window.label)
        if event:
            _refuse_outside(event, window, happened)
            if period:  # it may end later than its competition, while an end is being moved; its scores hang on its own
                _refuse_outside(event, period.window, happened)
        self._refuse_by_calendar(board, window, self._came(target.entry))
        if period is None and not opens:
            raise _NotOpened
        period = period or self._opened(board, window, self._came(target.entry))
        period.board = board
        self._found[board.seq, window.label] = period
        if period.state != PeriodState.OPEN:
            raise PeriodClosed(f"Period {window.label} is closed.")
        return period

    def _stored(self, target: Target, label: str) -> Period | None:
        """A competition's end can be moved, so its period is read as it is now."""
        if target.event:
            return period_by_label(target.board, label)
        return cached_period(target.board, label, self._at)

    def _opened(self, board: Board, window: Window, came: datetime) -> Period:
        """By the board as it is now: the rules that a period opens with are its own for good."""
        present = board_by_seq(board.seq)
        self._refuse_by_calendar(present, window, came)
        return open_period(present, window)

    def _refuse_by_calendar(self, board: Board, window: Window, came: datetime) -> None:
        if begins_after_retirement(board, window):
            raise PeriodClosed("The board is retired.")
        grace = timedelta(seconds=board.grace_seconds)
        if window.ends_at and came >= window.ends_at + grace and not self._backfill:
            raise PeriodClosed(f"Period {window.label} closed on {window.ends_at + grace:%Y-%m-%d %H:%M:%S} UTC.")


def quantized_time(layout: Layout, happened: datetime) -> int:
    """The time as the layout keeps it, in ms since 1970. Raises ``OutOfRange`` where its scores have no room for it."""
    at_ms = layout.quantize(milliseconds(happened))
    if layout.time_slot:
        layout.time_slot.encode((), at_ms)
    return at_ms


def _refuse_outside(event: Event, window: Window, happened: datetime) -> None:
    if window.starts_at and happened < window.starts_at:
        raise NotStarted(f"Competition {event.number} starts on {window.starts_at:%Y-%m-%d %H:%M:%S} UTC.")
    if not window.contains(happened):
        raise PeriodClosed(f"Competition {event.number} ended on {window.ends_at:%Y-%m-%d %H:%M:%S} UTC.")
