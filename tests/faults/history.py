"""What the children noted, put together: each entry by its id as ok, failed or unknown; and what readers saw."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Any

ACCEPTED = ("updated", "unchanged", "duplicate")


class Fate(StrEnum):
    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass
class Attempt:
    """One sending of an entry. ``status`` is empty where no answer came."""

    began: float
    ended: float = inf
    status: str = ""
    code: str | None = None
    period: str | None = None


@dataclass
class Operation:
    """An entry under its id, with every attempt at it."""

    id: str
    board: int
    player: str
    points: int
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def fate(self) -> Fate:
        """Accepted once is accepted; refused every time is failed; all else nobody knows."""
        said = {attempt.status for attempt in self.attempts}
        if said & {*ACCEPTED}:
            return Fate.OK
        return Fate.FAILED if said == {"rejected"} else Fate.UNKNOWN

    @property
    def began(self) -> float:
        return min(attempt.began for attempt in self.attempts)

    @property
    def known_since(self) -> float:
        """When somebody was first told that it counts."""
        return min((attempt.ended for attempt in self.attempts if attempt.status in ACCEPTED), default=inf)

    @property
    def times_applied(self) -> int:
        """How many answers said that this very attempt did it; more than one is one too many."""
        return sum(attempt.status in ("updated", "unchanged") for attempt in self.attempts)

    def as_sent(self) -> dict[str, Any]:
        return {"board": self.board, "player": self.player, "points": self.points, "id": self.id}


@dataclass(frozen=True)
class Read:
    """A whole board as a reader saw it."""

    board: int
    began: float
    ended: float
    live: bool
    total: int
    points: dict[str, int]


@dataclass
class History:
    """Everything that was noted in one folder."""

    operations: dict[str, Operation] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    failed_reads: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path) -> "History":
        found = cls()
        for path in sorted(folder.glob("*.jsonl")):
            found._take(path)
        return found

    def on(self, board: int) -> list[Operation]:
        return [each for each in self.operations.values() if each.board == board]

    def unsettled(self) -> list[Operation]:
        """What has to be sent again before anybody knows."""
        return [each for each in self.operations.values() if each.fate is Fate.UNKNOWN]

    def refusals(self) -> Counter[str | None]:
        """How often each code was the answer."""
        said = [attempt for each in self.operations.values() for attempt in each.attempts]
        return Counter(attempt.code for attempt in said if attempt.status == "rejected")

    def counts(self) -> str:
        """For people: how much was done, and what became of it."""
        fates = Counter(each.fate for each in self.operations.values())
        sent = sum(len(each.attempts) for each in self.operations.values())
        longest = max(self.calls, default=0.0)
        return (
            f"{len(self.operations)} entries sent {sent} times: {fates[Fate.OK]} ok, {fates[Fate.FAILED]} failed, "
            f"{fates[Fate.UNKNOWN]} unknown; {len(self.reads)} reads, "
            f"{len(self.failed_reads)} failed; longest call {longest:.2f} s; refusals {dict(self.refusals())}"
        )

    def _take(self, path: Path) -> None:
        begun: dict[int, list[Attempt]] = {}
        for line in lines(path):
            if "read" in line:
                self._take_read(line)
            elif "failed_read" in line:
                self.failed_reads.append(line["error"])
            elif "entries" in line:
                begun[line["call"]] = [self._attempt(each, line["began"]) for each in line["entries"]]
            else:
                attempts = begun.pop(line["call"])
                self.calls.append(line["ended"] - attempts[0].began)
                self.errors += [line["error"]] if "error" in line else []
                _answer(attempts, line)

    def _take_read(self, line: dict[str, Any]) -> None:
        seen = Read(line["read"], line["began"], line["ended"], line["live"], line["total"], line["points"])
        self.reads.append(seen)

    def _attempt(self, sent: dict[str, Any], began: float) -> Attempt:
        fresh = Operation(sent["id"], sent["board"], sent["player"], sent["points"])
        attempt = Attempt(began)
        self.operations.setdefault(sent["id"], fresh).attempts.append(attempt)
        return attempt


def _answer(attempts: list[Attempt], line: dict[str, Any]) -> None:
    for attempt, (status, code, period) in zip(attempts, line.get("answers", ()), strict=False):
        attempt.status, attempt.code, attempt.period, attempt.ended = status, code, period, line["ended"]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """What was noted, less a line that is still being written."""
    for line in path.read_bytes().splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)
