"""Which boards may have tables of their own, and which delete old periods: checks of two settings."""

from foundation.messages import Message
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Storage
from leaderboards.stores.sql.own_tables import are_supported


def check_own_tables(board: Board) -> None:
    """Raise ``BadBoard`` if the board cannot have tables of its own, or cannot delete its old periods."""
    if board.keep_periods_days is not None and board.is_event:
        raise BadBoard(
            Message("The periods of competitions are kept: leave `keep_periods_days` empty."), "keep_periods_days"
        )
    if not board.own_tables:
        return
    if not are_supported():
        raise _bad(Message("Only PostgreSQL has tables for each period: leave `own_tables` off."))
    if board.storage == Storage.DYNAMODB:
        raise _bad(Message("DynamoDB has the scores of this board: leave `own_tables` off."))
    if board.is_event:
        raise _bad(Message("Competitions share their tables: leave `own_tables` off."))


def _bad(message: Message) -> BadBoard:
    return BadBoard(message, "own_tables")
