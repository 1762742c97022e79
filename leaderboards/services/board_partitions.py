"""What a board that divides its periods may be: checks of the setting ``partitions``."""

from foundation.messages import Message
from leaderboards.core.levels import LEVELS
from leaderboards.core.packing.layout import Layout
from leaderboards.core.packing.slots import total_bits
from leaderboards.core.partitions import PARTITION_COUNTS
from leaderboards.core.ranking.rules import Rules, Ties
from leaderboards.errors import BadBoard
from leaderboards.models import IN_REDIS, Board, Storage


def check_partitions(board: Board, layout: Layout) -> None:
    """Raise ``BadBoard`` if the board cannot have so many partitions; ``layout`` is that of its longest window."""
    if board.partitions not in PARTITION_COUNTS:
        raise _bad(Message("`partitions` is one of: %(counts)s.", counts=", ".join(map(str, PARTITION_COUNTS))))
    if board.partitions == 1:
        return
    if board.storage not in IN_REDIS:
        raise _bad(
            Message(
                "`partitions` divides what Redis has of a board: with the storage `%(storage)s` it is 1.",
                storage=board.storage,
            )
        )
    if board.is_event:
        raise _bad(Message("A board of competitions has 1 for `partitions`."))
    if board.storage == Storage.REDIS and board.field_jump is not None:
        raise _bad(
            Message(
                "`field_jump` looks at the first place of all partitions: leave it empty, or set `partitions` to 1."
            )
        )
    if board.rules.ties is Ties.DENSE and span_of(board, layout) > LEVELS:
        raise _bad(
            Message(
                "Dense ranks over several partitions need a board of at most %(most)s different values, and this one "
                "may have %(span)s: %(fewer)s, choose other `ties`, or set `partitions` to 1.",
                most=f"{LEVELS:,}",
                span=f"{span_of(board, layout):,}",
                fewer=fewer_values(board.rules),
            )
        )


def fewer_values(rules: Rules) -> Message:
    """Say what makes the values of a board fewer."""
    if rules.of_points:
        return Message("bring `minimum` and `total_maximum` together")
    return Message("lower the `max` of the criteria")


def span_of(board: Board, layout: Layout) -> int:
    """Return how many different scores a board without times may have."""
    rules = board.rules
    return rules.total_maximum - rules.minimum + 1 if rules.of_points else 1 << total_bits(layout.slots)


def _bad(message: Message) -> BadBoard:
    return BadBoard(message, "partitions")
