"""What tests of a memory that comes back begin and end with."""

from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection

from foundation import clock
from leaderboards import selectors
from leaderboards.models import Board, Period
from leaderboards.services.sync import resync_periods
from tests.leaderboards.services.site import (
    NOON,
    crowd,
    in_redis,
    in_sql,
    make_board,
    period_of,
)

POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer, and no numbers")


def bring_to_rest() -> None:
    for _ in range(3):
        resync_periods.resync_due(NOON)


def followed(players: dict[str, int]) -> Period:
    """A hybrid board whose memory says up to where it has followed SQL."""
    period = crowd(make_board("hybrid"), players)
    with patch.object(resync_periods, "WATERMARK_SECONDS", 1):
        resync_periods.resync_due(NOON)
    return period


def agree(period: Period) -> None:
    bring_to_rest()
    period.refresh_from_db()
    assert period.stale_since is None
    assert in_redis(period) == in_sql(period)


def shown(board: Board, at: Any = NOON) -> tuple[bool, list[tuple[str, int]]]:
    with patch.object(clock, "now", return_value=at):
        found = selectors.standings(board, period_of(board, at).label)
    return found.live, [(row.player, int(row.points or 0)) for row in found.rows]
