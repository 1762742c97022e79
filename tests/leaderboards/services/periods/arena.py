"""A board that is open each day from 12:00 to 14:00 UTC, and scores on it."""

from datetime import timedelta
from typing import Any

import pytest

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.services.site import DAY, NOON, make_board

MINUTE = timedelta(minutes=1)
STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
ARENA: dict[str, Any] = {"period": "schedule", "schedule": "0 12 * * *", "open_minutes": 120, "timezone": "UTC"}
TODAY, TOMORROW = f"{NOON:%Y-%m-%d}-1200", f"{NOON + DAY:%Y-%m-%d}-1200"


def send(board: Board, player: str, points: int, received: Any, **more: Any) -> Outcome:
    entry = read_entry({"board": board.seq, "player": player, "points": points, **more}, 0)
    return submit([entry], Caller("tests"), received)[0]


def arena(storage: str, **more: Any) -> Board:
    return make_board(storage, at=NOON + MINUTE, **(ARENA | more))
