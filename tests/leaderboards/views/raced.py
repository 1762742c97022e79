"""Boards with a past: what the race and points by day are drawn from."""

import re
from datetime import datetime, timedelta
from typing import Any

from django.test import Client

from foundation import clock
from leaderboards.models import Period
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.services.sync.mirror import mirror
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.playing import make_board, score

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LINE = re.compile(r'<path class="race-line ([^"]*)" d="([^"]*)"/>')


def hour_ago(hours: int) -> datetime:
    return clock.now().replace(minute=0, second=0, microsecond=0) - hours * HOUR


def midnight() -> datetime:
    return clock.now().replace(hour=0, minute=0, second=0, microsecond=0)


def board_of(**settings: Any) -> int:
    """A board that never begins anew: whatever day it is, it has a past."""
    return make_board(**{"period": "all_time", "update": "increment", **settings})


def look(board: int, at: datetime, points: dict[str, int]) -> None:
    """They score, and are looked at, as of ``at``."""
    score(board, points)
    period = Period.objects.select_related("board").get(board=board)
    if period.board.storage == "redis":
        mirror(period)
    assert record_rank_history(period, at, at)


def page_of(board: int, query: str = "") -> str:
    micro_cache.forget()
    shared_page.forget()
    return Client().get(f"/boards/{board}/{query}").content.decode()


def race_in(page: str) -> str:
    return page.partition('data-part="race"')[2].partition("</section>")[0]


def raced(**settings: Any) -> int:
    """A board on which robin was last of three, then second, and leads."""
    board = board_of(**settings)
    look(board, hour_ago(30), {"mina": 30, "omar": 20, "robin": 10})
    look(board, hour_ago(20), {"robin": 15})
    score(board, {"robin": 100})
    return board
