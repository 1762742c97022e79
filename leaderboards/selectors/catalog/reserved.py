"""Boards whose standings an app above writes, and nobody else: what such a board is told by.

An app that reserves boards registers with ``register_reserved_boards`` when the process starts. Asked is only for
boards that can be
reserved (all time, decided by SQL), at most every few seconds; so a board is reserved before its number is told.
"""

from collections.abc import Callable, Collection, Mapping

from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache
from leaderboards.core.periods import PeriodKind
from leaderboards.errors import BoardReserved
from leaderboards.models import Board, Storage

Reserved = Callable[[Collection[int]], Mapping[int, str]]


class _Provided:
    reserved: Reserved = staticmethod(lambda _numbers: {})


def register_reserved_boards(reserved: Reserved) -> None:
    """Let ``reserved`` say which of these boards (by number) are reserved, each with whom it is reserved for."""
    _Provided.reserved = staticmethod(reserved)


def reserved_for(board: Board) -> str:
    """Whom the board is reserved for; empty where anybody may write to it, and while SQL, which decides it, is away."""
    if board.period != PeriodKind.ALL_TIME or board.storage != Storage.SQL:
        return ""
    try:
        return _remembered.get(board.seq) or ""
    except SqlAway:
        return ""


def reserved_boards() -> list[int]:
    """The boards that are reserved now, by number; asked anew each time."""
    all_time = Board.objects.filter(period=PeriodKind.ALL_TIME, storage=Storage.SQL)
    numbers = list(all_time.order_by("pk").values_list("pk", flat=True))
    return sorted(_Provided.reserved(numbers)) if numbers else []


def refuse_reserved(board: Board) -> None:
    """Raise ``BoardReserved`` where nobody but the app above writes to the board."""
    if whom := reserved_for(board):
        raise BoardReserved(f"Board {board.seq} holds the totals of {whom}: nobody else changes its standings.")


def clear_reserved_cache() -> None:
    """A board was reserved, or is so no more: this process knows it at once."""
    _remembered.forget()


def _load(numbers: Collection[int]) -> dict[int, str]:
    return dict.fromkeys(numbers, "") | dict(_Provided.reserved(numbers))


_remembered: StaleIfErrorCache[int, str] = StaleIfErrorCache(_load, fresh=CACHE_TTL)
