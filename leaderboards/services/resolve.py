"""From an entry as sent to an item that a store can judge: which board, which period, what value.

The trap: an id is looked up before anything about time (``services/ids.py``), so that a repetition is
known as one also after its period has turned. Nothing here writes but the opening of a period.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from leaderboards.core.entries import Entry, read_value
from leaderboards.core.instants import milliseconds
from leaderboards.core.periods import Window, window_at
from leaderboards.core.submissions import Caller
from leaderboards.errors import BadEntry, BoardForbidden, InTheFuture, PeriodClosed, UnknownBoard, UnknownCompetition
from leaderboards.models import Board, Period, State
from leaderboards.selectors.boards import boards_by_seq
from leaderboards.selectors.periods import period_by_label
from leaderboards.services.open import open_period

FUTURE_TOLERANCE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Item:
    """An entry that has found its period; ``value`` is scaled, ``at_ms`` as the layout keeps it."""

    entry: Entry
    period: Period
    value: tuple[int, ...]
    at_ms: int


def boards_named(entries: Iterable[Entry]) -> dict[int, Board]:
    """The boards that entries name, by number, in one query."""
    return boards_by_seq({entry.board for entry in entries if entry.board is not None})


def board_of(entry: Entry, boards: Mapping[int, Board], caller: Caller) -> Board:
    """The board that an entry is for. Raises what the caller must hear if there is none for him."""
    if entry.board is None:
        raise UnknownCompetition(f"There is no competition {entry.competition}.")
    board = boards.get(entry.board)
    if board is None:
        raise UnknownBoard(f"There is no board {entry.board}.")
    if caller.boards is not None and board.seq not in caller.boards:
        raise BoardForbidden(f"This key does not reach board {board.seq}.")
    if board.is_event:
        raise BadEntry(f"Board {board.seq} counts in competitions: send `competition` instead of `board`.")
    return board


class Periods:
    """The periods that one request meets: each looked up, or opened, once."""

    def __init__(self, at: datetime, backfill: bool = False) -> None:
        self._at = at
        self._backfill = backfill
        self._found: dict[tuple[int, str], Period] = {}

    def item(self, entry: Entry, board: Board) -> Item:
        """The entry in its period. Raises ``InTheFuture``, ``PeriodClosed``, ``BadPoints``, ``OutOfRange`` …"""
        happened = self._when(entry)
        period = self._period(board, window_at(board.calendar, happened))
        value = read_value(period.rules, entry)
        return Item(entry, period, value, period.layout.quantize(milliseconds(happened)))

    def _when(self, entry: Entry) -> datetime:
        if entry.at is None:
            return self._at
        if entry.at > self._at + FUTURE_TOLERANCE:
            raise InTheFuture("`at` lies in the future; send it when it has happened, or mend the sender's clock.")
        return min(entry.at, self._at)

    def _period(self, board: Board, window: Window) -> Period:
        period = self._found.get((board.seq, window.label))
        if period is None:
            self._refuse_by_calendar(board, window)
            period = period_by_label(board, window.label) or open_period(board, window)
            period.board = board
            self._found[board.seq, window.label] = period
        if period.state != State.OPEN:
            raise PeriodClosed(f"Period {window.label} is closed.")
        return period

    def _refuse_by_calendar(self, board: Board, window: Window) -> None:
        if board.retired_at and (window.starts_at is None or window.starts_at >= board.retired_at):
            raise PeriodClosed("The board is retired.")
        grace = timedelta(seconds=board.grace_seconds)
        if window.ends_at and self._at >= window.ends_at + grace and not self._backfill:
            raise PeriodClosed(f"Period {window.label} closed on {window.ends_at + grace:%Y-%m-%d %H:%M:%S} UTC.")
