"""The walks that docs/architecture.md draws: each passes the rooms that its line names, in that order."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings
from django.test import Client

from competitions import tasks
from competitions.selectors.results.revisions import public_revisions
from foundation import clock
from leaderboards.models import Storage
from tests.competitions.factories import END, MINUTE
from tests.competitions.site import make_board, race, reloaded
from tests.flows.test_score_path import Trace
from tests.leaderboards.api.conftest import with_key
from tests.leaderboards.factories import BoardFactory
from tests.raw import ONE_SERVER

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

# What was counted when this was written, and two more for what a process may remember or not. Lower it where a walk
# becomes shorter; raising it needs a reason.
# Since a page counted 99 it has got filters, whom one follows, shares by a histogram, and pictures. Since an end
# counted 80 it tells of its period, and since 83 it tells browsers. The first page of a process makes its client of
# Redis, for which three files choose between one server, sentinels and a cluster; what servers are sent stands apart
# for primaries and replicas. Since a page counted 112 it may come from a replica (0105), its scripts in one answer.
# Who asks first in a process enters two more than the others. A period is asked for its families (0108).
FILES = {"A score": 73, "A page": 120, "A competition's end": 89}


def rooms(walk: str) -> list[str]:
    """The rooms of the line under the heading ``walk``."""
    text = (Path(settings.BASE_DIR) / "docs/architecture.md").read_text("utf-8")
    found = re.search(rf"^### {walk}\n\n`([^`]+)`$", text, re.MULTILINE)
    assert found, walk
    return found[1].split(" → ")


class WalkTrace(Trace):
    """As ``Trace``, and in which order our files were come to."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []

    def _visit(self, file: str) -> None:
        if file != self._current:
            self.order.append(file)
        super()._visit(file)


def traced(walk: Callable[[], object]) -> WalkTrace:
    trace = WalkTrace()
    sys.setprofile(trace)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return trace


def assert_walks_through(trace: WalkTrace, app: str, walk: str) -> None:
    files = iter(trace.order)
    for room in rooms(walk):
        where = Path(settings.BASE_DIR) / app / room
        assert where.is_dir() or where.with_suffix(".py").is_file(), f"{room} is no room of {app}"
        passed = any(file.startswith(f"{app}/{room}") for file in files)
        assert passed, f"{walk}: {room} was not come to at its place in the line\n{trace.report()}"
    assert len(trace.entries) <= FILES[walk], trace.report()


@ONE_SERVER
def test_a_score() -> None:
    board = BoardFactory.create(storage=Storage.HYBRID)
    game = with_key("scores:write")
    game.submit({"board": board.seq, "player": "alice", "points": 1, "id": "one"})

    trace = traced(lambda: game.submit({"board": board.seq, "player": "alice", "points": 2, "id": "two"}))

    assert_walks_through(trace, "leaderboards", "A score")


@ONE_SERVER
def test_a_page() -> None:
    board = BoardFactory.create(storage=Storage.HYBRID)
    with_key("scores:write").submit({"board": board.seq, "player": "alice", "points": 1})

    trace = traced(lambda: Client().get(f"/boards/{board.seq}/"))

    assert_walks_through(trace, "leaderboards", "A page")


def test_a_competitions_end() -> None:
    cup = race({"ann": 9, "bob": 5}, make_board("hybrid", grace_seconds=0))

    with patch.object(clock, "trusted_now", return_value=END + MINUTE):
        trace = traced(lambda: (tasks.advance(), tasks.reward()))

    assert public_revisions(reloaded(cup), END + MINUTE)
    assert_walks_through(trace, "competitions", "A competition's end")
