"""Requests that are made to arrive together: the first is held at its work until all others have queued behind it."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board
from leaderboards.services.submit import grouped
from leaderboards.services.submit.group_commit import GroupCommit
from leaderboards.services.submit.pipeline import submit, submit_batch
from tests.faults.world import wait_until
from tests.leaderboards.services.site import NOON

GAME = Caller("game")
LONG = 30.0


def entry(board: Board, player: str, number: object, **more: Any) -> dict[str, Any]:
    return {"board": board.seq, "player": player, "points": number, **more}


@dataclass
class Company:
    """Sends requests from threads of their own, so that all but the first are decided together, once that is let go."""

    monkeypatch: pytest.MonkeyPatch
    batches: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._go = threading.Event()
        self._threads = ThreadPoolExecutor(32)
        self._waiting = GroupCommit(grouped._decide, max_batch=25, max_wait=LONG, answer_timeout=LONG)
        self.monkeypatch.setattr(grouped, "_group_commit", self._waiting)
        self.monkeypatch.setattr(grouped, "submit", self._one)
        self.monkeypatch.setattr(grouped, "submit_batch", self._several)

    def send(
        self, raw: dict[str, Any], at: datetime = NOON, caller: Caller = GAME, ranks: bool = False
    ) -> "Future[list[Outcome]]":
        """One request of one entry; it queues when this returns, or is the one that is held."""
        known = self._known()
        sent = self._threads.submit(self._sent, raw, at, caller, ranks)
        wait_until(lambda: sent.done() or self._known() > known, "a request that came")
        return sent

    def together(self, *raws: dict[str, Any], at: datetime = NOON, ranks: bool = False) -> list[Outcome]:
        """Send these while another is decided; what became of each."""
        self.hold(raws[0]["board"], at, ranks=ranks)
        sent = [self.send(raw, at, ranks=ranks) for raw in raws]
        self.let_go()
        return [each.result(LONG)[0] for each in sent]

    def hold(self, board: int, at: datetime = NOON, caller: Caller = GAME, ranks: bool = False) -> None:
        """Let one be at work on the board."""
        self.send({"board": board, "player": "first", "points": 1}, at, caller, ranks)

    def let_go(self) -> None:
        self._go.set()

    def _sent(self, raw: dict[str, Any], at: datetime, caller: Caller, ranks: bool = False) -> list[Outcome]:
        try:
            return grouped.submit_grouped([read_entry(raw, 0)], caller, at, ranks=ranks)
        finally:
            connection.close()

    def _one(self, entries: Any, caller: Caller, at: datetime, ranks: bool = False) -> list[Outcome]:
        self.batches.append(1)
        if entries[0].player == "first":
            assert self._go.wait(LONG)
        return submit(entries, caller, at, ranks=ranks)

    def _several(self, entries: Any, caller: Caller, at: datetime, ranks: bool = False) -> list[Outcome]:
        self.batches.append(len(entries))
        return submit_batch(entries, caller, max(at, NOON), ranks=ranks)

    def _known(self) -> int:
        return len(self.batches) + sum(len(lane.queue) for lane in [*self._waiting._lanes.values()])
