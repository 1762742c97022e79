"""Which periods can be compared between Redis and SQL: running and closing periods of boards stored in Redis."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet

from leaderboards.models import ACTIVE_STATES, IN_REDIS, Board, Period, Storage


class SkippedBoard(NamedTuple):
    """A board without a comparable period, and the reason."""

    board: int
    name: str
    why: str


def comparable_periods(at: datetime, seq: int | None) -> QuerySet[Period]:
    """Query every running or closing period that Redis shows (only of board ``seq`` if given)."""
    periods = Period.objects.filter(state__in=ACTIVE_STATES, board__storage__in=IN_REDIS)
    periods = periods.exclude(starts_at__gt=at)
    return periods if seq is None else periods.filter(board=seq)


def skipped_boards(at: datetime, seq: int | None) -> list[SkippedBoard]:
    """List the boards (only board ``seq`` if given) without a comparable period."""
    boards = Board.objects.exclude(pk__in=comparable_periods(at, seq).values("board")).order_by("pk")
    if seq is not None:
        boards = boards.filter(pk=seq)
    return [SkippedBoard(board.pk, board.name, _why(board)) for board in boards]


def _why(board: Board) -> str:
    if board.storage == Storage.SQL:
        return "SQL alone keeps it, and Redis shows nothing of it"
    if board.storage == Storage.DYNAMODB:
        return "DynamoDB alone keeps its running period, so there is nothing to compare with"
    return "none of its periods runs, and those that are over are read from SQL"
