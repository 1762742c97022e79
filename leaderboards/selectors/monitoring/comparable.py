"""What there is to compare between Redis and SQL: periods that live, of boards that Redis shows."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet

from leaderboards.models import Board, Period, PeriodState, Storage


class SkippedBoard(NamedTuple):
    """A board without a period to compare, and why."""

    board: int
    name: str
    why: str


def comparable_periods(at: datetime, seq: int | None) -> QuerySet[Period]:
    """Every period that lives, has begun and is shown by Redis (of board ``seq``)."""
    periods = Period.objects.filter(state__in=(PeriodState.OPEN, PeriodState.CLOSING)).exclude(
        board__storage=Storage.SQL
    )
    periods = periods.exclude(starts_at__gt=at)
    return periods if seq is None else periods.filter(board=seq)


def skipped_boards(at: datetime, seq: int | None) -> list[SkippedBoard]:
    """The boards (or board ``seq``, if it is one) of which nothing is to be compared."""
    boards = Board.objects.exclude(pk__in=comparable_periods(at, seq).values("board")).order_by("pk")
    if seq is not None:
        boards = boards.filter(pk=seq)
    return [SkippedBoard(board.pk, board.name, _why(board)) for board in boards]


def _why(board: Board) -> str:
    if board.storage == Storage.SQL:
        return "SQL alone keeps it, and Redis shows nothing of it"
    return "none of its periods runs, and those that are over are read from SQL"
