"""Requests that are made to arrive together: the first is held at its work until all others have queued behind it."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board
from leaderboards.services import company
from leaderboards.services.submit import submit, submit_joined
from leaderboards.services.together import Together
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
        self._waiting = Together(company._decide, most=25, patience=LONG, longest=LONG)
        self.monkeypatch.setattr(company, "_together", self._waiting)
        self.monkeypatch.setattr(company, "submit", self._one)
        self.monkeypatch.setattr(company, "submit_joined", self._several)

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
            return company.submit_in_company([read_entry(raw, 0)], caller, at, ranks=ranks)
        finally:
            connection.close()

    def _one(self, entries: Any, caller: Caller, at: datetime, ranks: bool = False) -> list[Outcome]:
        self.batches.append(1)
        if entries[0].player == "first":
            assert self._go.wait(LONG)
        return submit(entries, caller, at, ranks=ranks)

    def _several(self, entries: Any, caller: Caller, at: datetime, ranks: bool = False) -> list[Outcome]:
        self.batches.append(len(entries))
        return submit_joined(entries, caller, max(at, NOON), ranks=ranks)

    def _known(self) -> int:
        return len(self.batches) + sum(len(lane.queue) for lane in [*self._waiting._lanes.values()])
