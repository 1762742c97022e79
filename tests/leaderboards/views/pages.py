"""What tests of pages read, who they are, and what they look at."""

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from foundation import clock
from foundation.redis import client as redis
from foundation.redis.lua import Script
from leaderboards.models import Period
from leaderboards.services.periods.close import close_period
from leaderboards.services.sync.resync_periods import resync_due
from tests.playing import account, make_board, score

WEEK = timedelta(weeks=1)


def text(response: Any) -> str:
    """What people read, tags taken out and blanks joined; times stand in the middle of words."""
    inline = re.sub(r"</?time\b[^>]*>", "", response.content.decode())
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", inline)).split())


def timeless(page: str) -> str:
    """The page without what changes by itself: times, and the tiles that count down to one."""
    return re.sub(r'<time\b.*?</time>|<span class="tiles".*?</span></span></span>', "", page, flags=re.DOTALL)


def timeless_text(response: Any) -> str:
    """What people read, whenever that is: without times, tiles and "3 minutes ago"."""
    inline = timeless(response.content.decode())
    words = " ".join(unescape(re.sub(r"<[^>]+>", " ", inline)).split())
    return re.sub(r"\d\d:\d\d:\d\d( UTC)?|\d+ (seconds?|minutes?|hours?|days?)", "", words)


def signed_in(client: Client, username: str, player: str | None = None, **more: object) -> Client:
    client.force_login(account(username, player, **more))
    return client


def make_full_board(players: int = 120, **settings: Any) -> int:
    """A board of p000 with 1000 points, p001 with 999 and so on: two pages and a bit."""
    board = make_board(**settings)
    score(board, {f"p{number:03d}": 1000 - number for number in range(players)})
    return board


def close_all_past(board: int) -> None:
    """Make every period that is over final."""
    resync_due(clock.now())
    for period in Period.objects.filter(board=board, ends_at__lte=clock.now()).order_by("ends_at"):
        assert close_period(period, clock.now()).final


def count_round_trips(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Filled from now on with each script that the boards' Redis is sent."""
    trips: list[object] = []
    link = redis.boards()
    run = link.run

    def counted(script: Script, keys: Sequence[str], args: Sequence[redis.Argument]) -> object:
        trips.append(script)
        return run(script, keys, args)

    monkeypatch.setattr(link, "run", counted)
    return trips
