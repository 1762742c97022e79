"""A competition that this process has read so often that it asks SQL no more: what tests of that begin with."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from competitions.models import Competition
from foundation import clock
from foundation.db.resilience import StaleIfErrorCache
from tests.competitions.site import SOON, joined, make_board, open_competition, raced, score
from tests.leaderboards.api.conftest import Caller
from tests.remembered import read_until_remembered, take_sql_away

PATHS = ["standings", "standings?limit=100", "players/alice", "players/alice/around", "view?player=alice&ids=bob"]
IN_REDIS = pytest.mark.parametrize("storage", ["hybrid", "redis"])
MONOTONIC = clock.monotonic
Known = Callable[..., Competition]
SetClock = Callable[[datetime], None]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Sets the clock; no time passes for what is remembered."""
    moment = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: moment)

    def set_clock(at: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: at)

    return set_clock


@pytest.fixture
def known(anybody: Caller, now: SetClock) -> Known:
    """Makes a cup in which erin has not started, and which this process has read until it asks SQL no more."""

    def make(storage: str = "hybrid", path: str = "standings", at: datetime = SOON, **settings: Any) -> Competition:
        cup = open_competition(make_board(storage), **settings)
        raced(cup, {"alice": 30, "bob": 20})
        joined(cup, "erin")
        now(at)
        read_until_remembered(anybody, f"/competitions/{cup.pk}/{path}", times=4)
        return cup

    return make


def take_sql_away_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take SQL away when as much time has passed for this process as for Redis, which notes when a row was changed."""
    monkeypatch.setattr(clock, "monotonic", MONOTONIC)
    take_sql_away(monkeypatch)


@contextmanager
def elsewhere() -> Iterator[None]:
    """What is done here is done in another process, whose time passes."""
    with ExitStack() as stack:
        for name in ("forget", "_store", "_confirm"):
            stack.enter_context(patch.object(StaleIfErrorCache, name, lambda *_: None))
        stack.enter_context(patch.object(clock, "monotonic", MONOTONIC))
        yield


def scored(cup: Competition, points: dict[str, int], at: datetime = SOON) -> None:
    """Scores that another process accepts."""
    with elsewhere():
        assert {outcome.code for outcome in score(cup, points, at)} == {None}


def shown(anybody: Caller, cup: Competition, rest: str = "standings") -> dict[str, Any]:
    found: dict[str, Any] = anybody.get(f"/competitions/{cup.pk}/{rest}").json()
    return found


def seen(anybody: Caller, cup: Competition) -> tuple[list[str], int, int]:
    """Who is shown, how many, and how many have not started."""
    found = shown(anybody, cup)
    return [row["player"] for row in found["rows"]], found["total"], found["not_started"]
