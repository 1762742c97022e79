"""What a board with score ranges may be: checks of the setting ``score_ranges``."""

from foundation.messages import Message
from leaderboards.core.ranking.rules import Ties
from leaderboards.errors import BadBoard
from leaderboards.models import Board


def check_score_ranges(board: Board) -> None:
    """Raise ``BadBoard`` if the board cannot have score ranges."""
    if not board.score_ranges:
        return
    if board.partitions == 1:
        raise _bad(
            Message(
                "An undivided board is in the order of its scores already: set `partitions` to 4 or more, or leave "
                "`score_ranges` off."
            )
        )
    if board.rules.is_compact:
        raise _bad(Message("Score ranges are sorted sets: set `encoding` to `plain`, or leave `score_ranges` off."))
    if board.rules.ties is Ties.DENSE:
        raise _bad(
            Message(
                "A dense rank needs the scores of all partitions, whatever range it is in: choose other `ties`, or "
                "leave `score_ranges` off."
            )
        )


def _bad(message: Message) -> BadBoard:
    return BadBoard(message, "score_ranges")
