"""Finding boards."""

from leaderboards.errors import UnknownBoard
from leaderboards.models import Board, Visibility


def board_by_seq(seq: int) -> Board:
    """The board of this number. Raises ``UnknownBoard``."""
    board = Board.objects.filter(seq=seq).first() if 0 < seq < 2**31 else None
    if board is None:
        raise UnknownBoard(f"There is no board {seq}.")
    return board


def boards_listed(name: str | None = None, include_private: bool = False) -> list[Board]:
    """Boards by number; those of one name if ``name`` is given. Private ones only if asked for."""
    boards = Board.objects.all()
    if not include_private:
        boards = boards.filter(visibility=Visibility.PUBLIC)
    if name is None:
        return list(boards)
    return list(boards.filter(name=name)) if "\0" not in name else []  # PostgreSQL refuses the question itself
