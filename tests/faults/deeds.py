"""What children do beside writing and working: cross a boundary in many threads, and play beat and workers at once."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from celery import current_app
from django.db import connection

from config.schedule import SCHEDULE
from foundation import clock
from leaderboards.core.entries import Entry
from leaderboards.models import FinalStanding, Period, State
from leaderboards.services import submit
from tests.faults import chores
from tests.faults.nursery import stopping
from tests.faults.writers import CALLER, Notes, like_a_request, now

LOST = 0.25  # how many answers get lost


class _Crosser:
    """One thread: it submits through a boundary, loses answers, and sends those again when the next period runs."""

    def __init__(self, history: str, boards: Sequence[int], dice: random.Random, ends_at: datetime) -> None:
        self._notes = Notes(history)
        self._name = history.rpartition("/")[2]
        self._boards = boards
        self._dice = dice
        self._ends_at = ends_at
        self._lost: list[list[dict[str, Any]]] = []
        self._calls = 0

    def run(self, shift: float, until: datetime) -> None:
        while now(shift) < until:
            batch = [self._new(number, shift) for number in range(self._dice.randint(1, 4))]
            is_lost = self._dice.random() < LOST
            self._send(batch, shift, is_lost)
            if is_lost:
                self._lost.append(batch)
            time.sleep(self._dice.uniform(0.0, 0.05))
        for batch in self._lost:
            self._send(batch, shift, is_lost=False)
        connection.close()

    def _new(self, number: int, shift: float) -> dict[str, Any]:
        """Some say when they happened: before the end, also while the next period runs."""
        late = self._dice.random() < 0.4
        at = min(now(shift), self._ends_at) - timedelta(milliseconds=self._dice.randint(1, 500))
        return {
            "board": self._dice.choice(self._boards),
            "player": f"p{self._dice.randrange(40)}",
            "points": self._dice.randint(1, 1000),
            "id": f"{self._name}-{self._calls}-{number}",
            "at": at.isoformat() if late else None,
        }

    def _send(self, batch: list[dict[str, Any]], shift: float, is_lost: bool) -> None:
        self._calls += 1
        self._notes.write(call=self._calls, began=time.monotonic(), entries=batch)
        with like_a_request():
            outcomes = submit.submit([_entry(place, each) for place, each in enumerate(batch)], CALLER, now(shift))
        if not is_lost:
            answers = [[str(each.status), each.code, each.period] for each in outcomes]
            self._notes.write(call=self._calls, ended=time.monotonic(), answers=answers)


def _entry(place: int, sent: dict[str, Any]) -> Entry:
    at = datetime.fromisoformat(sent["at"]) if sent["at"] else None
    return Entry(place, sent["board"], None, sent["player"], Decimal(sent["points"]), None, at, sent["id"])


def cross(histories: list[str], boards: list[int], seed: int, shift: float, after: float) -> None:
    """As many threads as histories submit until ``after`` seconds past the end of the boards' running period."""
    period = Period.objects.get(board=boards[0], starts_at__lte=now(shift), ends_at__gt=now(shift))
    assert period.ends_at is not None
    until = period.ends_at + timedelta(seconds=after)
    crossers = [
        _Crosser(history, boards, random.Random(seed + number), period.ends_at)
        for number, history in enumerate(histories)
    ]
    with ThreadPoolExecutor(len(crossers)) as pool:
        for ended in [pool.submit(crosser.run, shift, until) for crosser in crossers]:
            ended.result()


def close_again(shift: float) -> list[list[Any]]:
    """Take what is final back to its closing, and close it once more; what each period ended with."""
    for period in Period.objects.filter(state=State.FINAL):
        FinalStanding.objects.filter(period=period).delete()
        Period.objects.filter(pk=period.pk).update(state=State.CLOSING, players=0, content_hash="")
    return chores.close_until_final(shift)


def beat(seed: int, lose: float, shift: float = 0.0, only: Sequence[str] = ()) -> list[str]:
    """Send every task of the schedule twice at once, over and over, and lose some; the errors that tasks ended with."""
    clock.now = lambda: datetime.now(UTC) + timedelta(seconds=shift)
    dice, errors = random.Random(seed), list[str]()
    names = [entry["task"] for name, entry in SCHEDULE.items() if not only or name in only]
    current_app.loader.import_default_modules()
    while not stopping():
        for name in names:
            if dice.random() >= lose:
                errors += _deliver_twice(current_app.tasks[name])
        time.sleep(0.02)
    return errors


def _deliver_twice(task: Callable[[], object]) -> list[str]:
    errors: list[str] = []
    both = threading.Barrier(2)

    def run() -> None:
        both.wait()
        try:
            with like_a_request():
                task()
        except Exception as error:
            errors.append(f"{task}: {error!r}")
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors
