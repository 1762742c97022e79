"""Children that use the product: writers, readers and a worker, each noting what it does in a history file.

A line is written before a call and another one after it, so a call without its second line has an
unknown outcome. `shift` moves the time that a child believes in, in seconds.
"""

import json
import logging
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db import close_old_connections

from foundation import clock
from foundation.errors import Unavailable
from leaderboards import selectors
from leaderboards.core.entries import Entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board
from leaderboards.services import close, mirror, open, settle, submit  # noqa: A004 (a service of ours)
from tests.faults.nursery import stopping

logger = logging.getLogger(__name__)

CALLER = Caller("faults")


class Notes:
    """A history file: each line is written in one piece, so a kill leaves whole lines."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, **line: Any) -> None:
        os.write(self._file, json.dumps(line).encode() + b"\n")


def now(shift: float) -> datetime:
    """The time that a child believes in."""
    return clock.now() + timedelta(seconds=shift)


@contextmanager
def like_a_request() -> Iterator[None]:
    """Connections are looked at before and after, as Django does around a request and Celery around a task."""
    close_old_connections()
    try:
        yield
    finally:
        close_old_connections()


class _Writer:
    def __init__(self, name: str, boards: Sequence[int], players: int, dice: random.Random) -> None:
        self._name = name
        self._boards = boards
        self._players = players
        self._dice = dice
        self._said: list[dict[str, Any]] = []

    def batch(self, size: int, again: float) -> list[dict[str, Any]]:
        """New entries, and with a chance of `again` some that were sent before, word for word."""
        return [
            self._dice.choice(self._said[-200:]) if self._said and self._dice.random() < again else self._new()
            for _ in range(size)
        ]

    def _new(self) -> dict[str, Any]:
        made = {
            "board": self._dice.choice(self._boards),
            "player": f"p{self._dice.randrange(self._players)}",
            "points": self._dice.randint(1, 1000),
            "id": f"{self._name}-{len(self._said)}",
        }
        self._said.append(made)
        return made


def write(
    history: str,
    boards: list[int],
    seed: int,
    *,
    players: int = 40,
    size: int = 4,
    again: float = 0.2,
    calls: int | None = None,
    pause: float = 0.0,
    shift: float = 0.0,
) -> int:
    """Submit until told to stop (or for `calls` calls); returns how many calls that were."""
    notes, dice = Notes(history), random.Random(seed)
    writer = _Writer(f"w{Path(history).stem}", boards, players, dice)
    made = 0
    while not stopping() and (calls is None or made < calls):
        made += 1
        send(notes, made, writer.batch(dice.randint(1, 2 * size), again), shift)
        if pause:
            time.sleep(dice.uniform(0, 2 * pause))
    return made


def send(notes: Notes, call: int, batch: Sequence[dict[str, Any]], shift: float = 0.0) -> None:
    """Submit one batch and note its outcomes; a refusal of it all, or an error, leaves them unknown."""
    entries = [
        Entry(i, each["board"], None, each["player"], Decimal(each["points"]), None, None, each["id"])
        for i, each in enumerate(batch)
    ]
    notes.write(call=call, began=time.monotonic(), entries=list(batch))
    try:
        with like_a_request():
            outcomes = submit.submit(entries, CALLER, now(shift))
    except Unavailable as error:  # an answer too: the request as a whole was refused
        notes.write(call=call, ended=time.monotonic(), refused=error.code)
        return
    except Exception as error:
        logger.exception("a call failed")
        notes.write(call=call, ended=time.monotonic(), error=repr(error)[:200])
        return
    answers = [[str(each.status), each.code, each.period] for each in outcomes]
    notes.write(call=call, ended=time.monotonic(), answers=answers)


def send_all(history: str, entries: list[dict[str, Any]], shift: float = 0.0) -> None:
    """Send these entries (again), a hundred a call, so that nothing stays unknown."""
    notes = Notes(history)
    for start in range(0, len(entries), 100):
        send(notes, start, entries[start : start + 100], shift)


def read(history: str, boards: list[int], pause: float = 0.02) -> int:
    """Read whole boards until told to stop, noting what was seen; returns how many reads that were."""
    notes, made = Notes(history), 0
    while not stopping():
        for seq in boards:
            began = time.monotonic()
            try:
                with like_a_request():
                    board = Board.objects.get(pk=seq)
                    seen = selectors.standings(board, "current", offset=0, limit=10_000)
            except Exception as error:
                logger.warning("a read failed: %r", error)
                notes.write(failed_read=seq, began=began, ended=time.monotonic(), error=repr(error)[:200])
                continue
            points = {row.player: int(row.points or 0) for row in seen.rows}
            notes.write(read=seq, began=began, ended=time.monotonic(), live=seen.live, total=seen.total, points=points)
            made += 1
        time.sleep(pause)
    return made


def work(
    pause: float = 0.1, lease: float = 2.0, shift: float = 0.0, only: Sequence[str] = (), rounds: int | None = None
) -> int:
    """What the schedule does, over and over: mirror, settle, close, open; returns how many rounds that were.

    `lease` shortens how long a settler that was killed keeps others away: that saves work, never standings.
    """
    settle.LEASE = timedelta(seconds=lease)
    duties: dict[str, Callable[[], object]] = {
        "mirror": mirror.mirror_all,
        "settle": lambda: settle.settle_due(now(shift)),
        "close": lambda: close.close_due(now(shift)),
        "open": lambda: open.open_due(now(shift)),
    }
    return do_all({name: duty for name, duty in duties.items() if not only or name in only}, pause, rounds)


def do_all(duties: Mapping[str, Callable[[], object]], pause: float, rounds: int | None = None) -> int:
    """Each duty in turn, over and over; one that fails keeps no other. Returns how many rounds that were."""
    made = 0
    while not stopping() and (rounds is None or made < rounds):
        for name, duty in duties.items():
            try:
                with like_a_request():
                    duty()
            except Exception as error:
                logger.warning("%s did not get through: %r", name, error)
        made += 1
        time.sleep(pause)
    return made
