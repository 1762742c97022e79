"""Finding boards. While SQL is silent, those that were found before are still known."""

from collections.abc import Collection
from copy import copy

from foundation.db.resilience import CACHE_TTL, StaleIfErrorCache, row_version_loader
from leaderboards.errors import UnknownBoard
from leaderboards.models import Board, Visibility
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS


def _load(numbers: Collection[int]) -> dict[int, Board]:
    return Board.objects.in_bulk([seq for seq in numbers if 0 < seq < 2**31])


_remembered: StaleIfErrorCache[int, Board] = StaleIfErrorCache(
    _load, stamps=row_version_loader(Board._meta.db_table, "seq")
)


def board_by_seq(seq: int) -> Board:
    """The board of this number. Raises ``UnknownBoard``."""
    board = _remembered.get(seq)
    if board is None:
        raise UnknownBoard(f"There is no board {seq}.")
    return copy(board)  # who is given a row may change it


def peek_cached_board(seq: int) -> Board | None:
    """The board as it is remembered, if that is no older than a moment. For who compares the edition of its period."""
    kept = _remembered.peek(seq, MAX_READ_STALENESS_SECONDS)
    if kept is None:
        return None
    board = copy(kept.answer)
    board.cached_since = kept.since
    return board


def cached_boards(numbers: Collection[int]) -> dict[int, Board]:
    """The boards of these numbers that there are, as they were in the last seconds. For submissions alone."""
    return _remembered.get_many(numbers, fresh=CACHE_TTL)


def clear_board_cache() -> None:
    """A board was changed: this process knows it at once."""
    _remembered.forget()


def boards_listed(name: str | None = None, include_private: bool = False) -> list[Board]:
    """Boards by number; those of one name if ``name`` is given. Private ones only if asked for."""
    boards = Board.objects.all()
    if not include_private:
        boards = boards.filter(visibility=Visibility.PUBLIC)
    if name is None:
        return list(boards)
    return list(boards.filter(name=name)) if "\0" not in name else []  # PostgreSQL refuses the question itself
