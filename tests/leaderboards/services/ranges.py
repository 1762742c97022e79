"""Boards with score ranges: what is in the ranges, what is in the partitions, and which of them answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

from leaderboards.models import Board, Period, ScoreRanges
from leaderboards.services.sync import score_ranges
from leaderboards.services.sync.score_ranges import follow
from leaderboards.stores.redis import ranged
from leaderboards.stores.redis.partitioned import PartitionedStore
from tests.leaderboards.services import divided
from tests.leaderboards.services.divided import shown
from tests.leaderboards.services.site import NOON, period_of, redis_client


def opened(storage: str, points: dict[str, int] | None = None, **wanted: Any) -> tuple[Board, Period]:
    """A board whose ranges follow."""
    board, period = divided.opened(storage, points, score_ranges=True, **wanted)
    followed(board)
    return board, period


def followed(board: Board) -> Period:
    """Let the ranges follow until they do."""
    return let_ranges_follow(period_of(board), NOON)


def let_ranges_follow(period: Period, at: datetime) -> Period:
    """The same, for a period."""
    ranged.forget_tries()
    for _ in range(8):
        period.refresh_from_db()
        if follow(period, at):
            return period
    raise AssertionError("the ranges do not follow")


@contextmanager
def ranges_alone() -> Iterator[None]:
    """No partition answers meanwhile."""
    with patch.object(PartitionedStore, "_read_partitions", side_effect=AssertionError("the partitions were asked")):
        yield


def in_ranges(board: Board) -> dict[str, float]:
    """Who is in which range that is read, each once."""
    row, period = ScoreRanges.objects.get(period__board=board, epoch__gt=0), period_of(board)
    found: dict[str, float] = {}
    with redis_client() as client:
        for part in period.parts:
            for member, points in client.zrange(part.family.range(row.slot), 0, -1, withscores=True):
                name = period.layout.player_of(member.decode())
                assert name not in found
                found[name] = points
    return found


def in_partitions(board: Board) -> dict[str, float]:
    period, found = period_of(board), dict[str, float]()
    with redis_client() as client:
        for part in period.parts:
            rows = client.zrange(part.family.zset, 0, -1, withscores=True)
            found |= {period.layout.player_of(member.decode()): points for member, points in rows}
    return found


def of_ranges(board: Board) -> list[str]:
    """The order that the ranges alone tell."""
    ranged.forget_tries()
    with ranges_alone():
        return list(shown(board)[0])


@contextmanager
def cutting_anew() -> Iterator[None]:
    with (
        patch.object(score_ranges, "is_hot", return_value=True),
        patch.object(score_ranges, "RECUT_AFTER", timedelta()),
    ):
        yield
