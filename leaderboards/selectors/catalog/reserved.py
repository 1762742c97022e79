"""Reserved boards: only another app (such as competitions) writes their standings.

Such an app calls ``register_reserved_boards`` when the process starts. Only all-time boards with SQL storage can be
reserved. The answer is cached for ``CACHE_TTL`` seconds, so an app must reserve a board before it reveals its number.
"""

from collections.abc import Callable, Collection, Mapping

from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache
from foundation.messages import Message
from leaderboards.core.periods import PeriodKind
from leaderboards.errors import BoardReserved
from leaderboards.models import Board, Storage

Reserved = Callable[[Collection[int]], Mapping[int, str]]


class _Registered:
    reserved: Reserved = staticmethod(lambda _numbers: {})


def register_reserved_boards(reserved: Reserved) -> None:
    """Register a callable that maps the reserved ones of these board numbers to the name of what reserves them."""
    _Registered.reserved = staticmethod(reserved)


def reserved_for(board: Board) -> str:
    """Return what the board is reserved for; empty if it is not reserved, and while SQL is unavailable.

    While SQL is unavailable nothing can be written to these boards.
    """
    if board.period != PeriodKind.ALL_TIME or board.storage != Storage.SQL:
        return ""
    try:
        return _cache.get(board.seq) or ""
    except SqlAway:
        return ""


def reserved_boards() -> list[int]:
    """Return the numbers of all reserved boards, uncached."""
    all_time = Board.objects.filter(period=PeriodKind.ALL_TIME, storage=Storage.SQL)
    numbers = list(all_time.order_by("pk").values_list("pk", flat=True))
    return sorted(_Registered.reserved(numbers)) if numbers else []


def refuse_reserved(board: Board) -> None:
    """Raise ``BoardReserved`` if the board is reserved."""
    if whom := reserved_for(board):
        raise BoardReserved(
            Message(
                "Board %(board)s holds the totals of %(whom)s: nobody else changes its standings.",
                board=board.seq,
                whom=whom,
            )
        )


def clear_reserved_cache() -> None:
    """Make this process see a change of the reserved boards at once."""
    _cache.forget()


def _load(numbers: Collection[int]) -> dict[int, str]:
    return dict.fromkeys(numbers, "") | dict(_Registered.reserved(numbers))


_cache: StaleIfErrorCache[int, str] = StaleIfErrorCache(_load, fresh=CACHE_TTL)
