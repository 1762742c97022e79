"""What a compact board may be: checks of the setting ``encoding``."""

from foundation.messages import Message
from leaderboards.core.levels import LEVELS
from leaderboards.core.packing.layout import Layout
from leaderboards.core.ranking.rules import Ties
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Storage
from leaderboards.services.board_partitions import fewer_values, span_of


def check_place_of_encoding(board: Board) -> None:
    """Raise ``BadBoard`` if no board of this storage or period is compact, however it ranks."""
    if not board.rules.is_compact:
        return
    if board.storage != Storage.HYBRID:
        raise _bad(
            Message(
                "A compact board has numbers of players that SQL gives out: set `storage` to `hybrid`, or "
                "`encoding` to `plain`."
            )
        )
    if board.is_event:
        raise _bad(Message("A board of competitions has `plain` for `encoding`."))


def check_encoding(board: Board, layout: Layout) -> None:
    """Raise ``BadBoard`` if the board cannot be compact; ``layout`` is that of its longest window."""
    if board.rules.is_compact and board.rules.ties is Ties.DENSE and span_of(board, layout) > LEVELS:
        raise _bad(
            Message(
                "Dense ranks of a compact board need at most %(most)s different values, and this board may have "
                "%(span)s: %(fewer)s, choose other `ties`, or set `encoding` to `plain`.",
                most=f"{LEVELS:,}",
                span=f"{span_of(board, layout):,}",
                fewer=fewer_values(board.rules),
            )
        )


def _bad(message: Message) -> BadBoard:
    return BadBoard(message, "encoding")
