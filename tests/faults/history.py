"""What children note of their calls, and what that comes to: each entry as ok, failed or unknown; what readers saw.

A line is written before a call and another one after it, so a call without its second line has an unknown outcome.
"""

import json
import logging
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count, zip_longest
from math import inf
from pathlib import Path
from typing import Any

from django.db import close_old_connections

from foundation.errors import Unavailable

logger = logging.getLogger(__name__)

ACCEPTED = ("updated", "unchanged", "duplicate")


@contextmanager
def like_a_request() -> Iterator[None]:
    """Connections are looked at before and after, as Django does around a request and Celery around a task."""
    close_old_connections()
    try:
        yield
    finally:
        close_old_connections()


class Notes:
    """A file of notes: each line is written in one piece, so a kill leaves whole lines."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._numbers = count()

    def write(self, **line: Any) -> None:
        os.write(self._file, json.dumps(line).encode() + b"\n")

    @contextmanager
    def call(self, **asked: Any) -> Iterator[dict[str, Any]]:
        """Note what is asked, then what the block writes into the answer; a refusal of it all is one too."""
        call, said = next(self._numbers), dict[str, Any]()
        self.write(call=call, began=time.monotonic(), asked=asked)
        try:
            with like_a_request():
                yield said
        except Unavailable as error:
            said["refused"] = error.code
        except Exception as error:
            logger.exception("a call failed")
            said["error"] = repr(error)[:200]
        self.write(call=call, ended=time.monotonic(), said=said)


@dataclass
class Call:
    """One call; what was said is empty while there is no answer."""

    began: float
    asked: dict[str, Any]
    ended: float = inf
    said: dict[str, Any] = field(default_factory=dict)


def calls(*paths: Path) -> list[Call]:
    """The calls of these files, in the order in which they began; none before there is a file."""
    found: dict[tuple[Path, int], Call] = {}
    for path in paths:
        for text in path.read_bytes().split(b"\n")[:-1] if path.exists() else ():  # the last is still being written
            line = json.loads(text)
            if "asked" in line:
                found[path, line["call"]] = Call(line["began"], line["asked"])
            else:
                found[path, line["call"]].ended, found[path, line["call"]].said = line["ended"], line["said"]
    return [*found.values()]


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
        return Fate.OK if said & {*ACCEPTED} else Fate.FAILED if said == {"rejected"} else Fate.UNKNOWN

    @property
    def periods(self) -> set[str]:
        return {attempt.period for attempt in self.attempts if attempt.period}

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
    points: dict[str, int]


@dataclass
class History:
    operations: dict[str, Operation] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    longest_call: float = 0.0
    errors: list[str] = field(default_factory=list)
    failed_reads: int = 0

    @classmethod
    def of(cls, folder: Path) -> "History":
        found = cls()
        for call in calls(*sorted(folder.glob("*.jsonl"))):
            if "entries" in call.asked:
                found._take_entries(call)
            elif "points" in call.said:
                found.reads.append(Read(call.asked["board"], call.began, call.ended, **call.said))
            elif "board" in call.asked:
                found.failed_reads += bool(call.said)
        return found

    def on(self, *boards: int) -> list[Operation]:
        return [each for each in self.operations.values() if each.board in boards]

    def fates(self, *boards: int) -> set[Fate]:
        return {each.fate for each in self.on(*boards)}

    def attempts(self, *boards: int) -> list[Attempt]:
        return [attempt for each in self.on(*boards) for attempt in each.attempts]

    def timed_out(self, *boards: int) -> bool:
        """Whether somebody was told that nobody knows, which is more than not to have been told yet."""
        return "unknown" in {attempt.status for attempt in self.attempts(*boards)}

    def taken_since(self, moment: float, *boards: int) -> bool:
        """Whether each of the boards has accepted something that was first sent after this moment."""
        return {each.board for each in self.on(*boards) if each.fate is Fate.OK and each.began > moment} == {*boards}

    def seconds_until_taken(self, moment: float, board: int) -> float:
        """How long after this moment the board first acknowledged something that was sent after it."""
        attempts = [each for each in self.attempts(board) if each.began > moment and each.status in ACCEPTED]
        return min(each.ended for each in attempts) - moment

    def accepted_between(self, start: float, end: float, *boards: int) -> int:
        return sum(start < each.known_since < end for each in self.on(*boards))

    def unsettled(self) -> list[Operation]:
        return [each for each in self.operations.values() if each.fate is Fate.UNKNOWN]

    def _take_entries(self, call: Call) -> None:
        for sent, answer in zip_longest(call.asked["entries"], call.said.get("answers", ())):
            fresh = Operation(sent["id"], sent["board"], sent["player"], sent["points"])
            attempt = Attempt(call.began, call.ended, *answer) if answer else Attempt(call.began)
            self.operations.setdefault(sent["id"], fresh).attempts.append(attempt)
        if call.said:
            self.longest_call = max(self.longest_call, call.ended - call.began)
        self.errors += [call.said["error"]] if "error" in call.said else []


@dataclass
class Own:
    """How many likes of a thing a player may have given: between these two, whatever became of what nobody knows."""

    least: int = 0
    most: int = 0


@dataclass
class LikesHistory:
    """The same about likes, where each player is one writer's alone: what he was told last is what must stand."""

    own: dict[tuple[str, str, str], Own] = field(default_factory=lambda: defaultdict(Own))
    fates: Counter[tuple[str, Fate]] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path) -> "LikesHistory":
        found = cls()
        for call in calls(*sorted(folder.glob("*.jsonl"))):
            if "step" in call.asked:
                found._take(call)
            found.errors += [call.said["error"]] if "error" in call.said else []
        return found

    def _take(self, call: Call) -> None:
        kind, own = call.asked["kind"], self.own[call.asked["kind"], call.asked["thing"], call.asked["player"]]
        least, most = (_after(call.asked, before) for before in (own.least, own.most))
        fate = Fate.UNKNOWN
        if "own" in call.said:
            fate = Fate.OK
            assert least <= call.said["own"] <= most, f"{call} was answered, and there were {own}"
            own.least = own.most = call.said["own"]
        elif call.said.get("refused") == "unavailable":
            fate = Fate.FAILED
        else:
            own.least, own.most = min(own.least, least), max(own.most, most)
        self.fates[kind, fate] += 1


def _after(asked: dict[str, Any], own: int) -> int:
    wanted = max(own + asked["step"], 0)
    return int(wanted if asked["kind"] == "clap" else min(wanted, 1))
