"""Entries as a game server sends them, by the service, for tests of ids."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.services.site import NOON

STORAGES = pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
TURN = NOON + 12 * HOUR  # the end of NOON's day
Raw = dict[str, Any]


def send(board: Board, *raw: Raw, at: datetime = NOON, trusted: bool = False, **options: bool) -> list[Outcome]:
    """What became of each of these entries of one board, sent in one request."""
    entries = [read_entry({"board": board.seq, **each}, place) for place, each in enumerate(raw)]
    return submit(entries, Caller("game", is_trusted=trusted), at, **options)
