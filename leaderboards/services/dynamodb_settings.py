"""The settings of a board that DynamoDB cannot do, each refused with what to do instead."""

from foundation.messages import Message
from leaderboards.core.ranking.rules import Ties
from leaderboards.errors import BadBoard
from leaderboards.models import Board
from leaderboards.stores.dynamodb.client import is_installed


def refuse_what_dynamodb_lacks(board: Board) -> None:
    """Raise ``BadBoard`` for a board with the storage ``dynamodb`` that could not work."""
    if not is_installed():
        raise BadBoard(Message("DynamoDB needs boto3: install sunwi[dynamodb], or choose another storage."), "storage")
    if board.rules.ties is Ties.DENSE:
        raise BadBoard(
            Message(
                "DynamoDB does not count distinct scores: choose the ties `shared`, or the storage `hybrid`, `redis` "
                "or `sql`."
            ),
            "ties",
        )
    if board.is_event:
        raise BadBoard(
            Message("Competitions need a board in SQL or Redis: choose the storage `hybrid`, `redis` or `sql`."),
            "storage",
        )
    if board.limits is not None:
        raise BadBoard(
            Message(
                "DynamoDB keeps no submissions that limits of plausibility could look into: leave these limits out, or "
                "choose the storage `hybrid`, `redis` or `sql`."
            ),
            "storage",
        )
