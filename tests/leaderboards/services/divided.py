"""Divided boards with players, what is shown of them, and a partition that does not hear."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from foundation.redis.client import RedisClient, ScriptCall
from leaderboards import selectors
from leaderboards.core.submissions import Status
from leaderboards.models import Board, Part, Partition, Period
from leaderboards.services.boards import save_board
from leaderboards.services.periods.open import open_board
from tests.leaderboards.services.site import NOON, follow, period_of, score

POINTS = {f"p{n}": n for n in range(1, 41)}


def divided(storage: str, partitions: int = 4, **wanted: Any) -> Board:
    board = Board(name="A divided board", period="day", storage=storage, partitions=partitions, **wanted)
    save_board(board, NOON)
    open_board(board, NOON)
    return board


def opened(
    storage: str, points: dict[str, int] | None = None, partitions: int = 4, **wanted: Any
) -> tuple[Board, Period]:
    """A board of four partitions in which forty players have as many points as their number."""
    board = divided(storage, partitions, **wanted)
    assert all(each.status is Status.UPDATED for each in score(board, points or POINTS))
    period = period_of(board)
    follow(period)
    return board, period


def shown(board: Board) -> tuple[dict[str, int | None], bool]:
    """All players by rank, and whether Redis has told them."""
    found = selectors.standings(board, period_of(board).label, 0, 100)
    return {row.player: row.rank for row in found.rows}, found.live


def expected(points: dict[str, int]) -> dict[str, int]:
    return {name: rank for rank, name in enumerate(sorted(points, key=points.__getitem__, reverse=True), start=1)}


def stale_numbers(period: Period) -> set[int]:
    rows = Partition.objects.filter(period=period, stale_since__isnull=False)
    return set(rows.values_list("number", flat=True))


def partitions(period: Period) -> list[Partition]:
    return [part for part in period.parts if isinstance(part, Partition)]


def names_in(period: Period, number: int) -> list[str]:
    return [name for name in POINTS if period.part_of(name) is period.parts[number]]


@contextmanager
def deaf(part: Part, failure: Exception) -> Iterator[None]:
    """Scripts sent to several families fail with ``failure`` in this one for as long as the block lasts."""
    exchange = RedisClient.try_many

    def try_many(client: RedisClient, calls: list[ScriptCall]) -> list[object]:
        heard = [call for call in calls if call.keys[0] != part.family.gen]
        answers = iter(exchange(client, heard) if heard else ())
        return [failure if call.keys[0] == part.family.gen else next(answers) for call in calls]

    with patch.object(RedisClient, "try_many", try_many):
        yield
