"""What tests have children do with score ranges: cut them without rest, and hold them against their partitions."""

import time
from collections.abc import Collection
from datetime import timedelta
from unittest.mock import patch

from foundation.errors import Unavailable
from foundation.redis import client as redis
from leaderboards.models import ACTIVE_STATES, Period, ScoreRanges
from leaderboards.services.sync import score_ranges
from tests.faults import load
from tests.faults.boards import bring_to_rest
from tests.faults.load import now


def work_and_cut(pause: float = 0.05, only: Collection[str] = ()) -> None:
    """Work as the schedule does; ranges are cut anew as often as can be."""
    score_ranges.LEASE, score_ranges.RECUT_AFTER = timedelta(seconds=0.5), timedelta(seconds=0.2)
    with patch.object(score_ranges, "is_hot", any):
        load.work(pause=pause, only=tuple(only))


def differences(boards: Collection[int], seconds: float = 60.0) -> list[str]:
    """Let all come to rest, and say how ranges differ from partitions; how many players they have stands first."""
    bring_to_rest(boards)
    until, found, players = time.monotonic() + seconds, list[str](), 0
    for period in Period.objects.filter(board__in=boards, state__in=ACTIVE_STATES).select_related("board"):
        if period.starts_at is not None and period.starts_at > now(0.0):
            continue
        while not _follows(period):
            assert time.monotonic() < until, f"the ranges of {period} do not follow"
            time.sleep(0.05)
        slot = ScoreRanges.objects.get(period=period).slot
        partitions = sorted(cell for part in period.parts for cell in _rows(part.family.zset))
        ranges = sorted(cell for part in period.parts for cell in _rows(part.family.range(slot)))
        players += len(partitions)
        found += [f"{period}: {each} is in one of the two" for each in {*partitions} ^ {*ranges}]
        found += [f"{period}: somebody is there twice"] * (len(ranges) != len({member for member, _ in ranges}))
    return [f"{players} players", *found]


def _follows(period: Period) -> bool:
    try:
        period.refresh_from_db()
        return score_ranges.follow(period, now(0.0))
    except Unavailable:
        return False


def _rows(key: str) -> list[tuple[str, float]]:
    cells = redis.resync_client().call("ZRANGE", key, 0, -1, "WITHSCORES")
    if not (cells and isinstance(cells[0], list | tuple)):  # a driver gives rows flat or in pairs
        cells = list(zip(cells[::2], cells[1::2], strict=True))
    return [(member.decode(), float(score)) for member, score in cells]
