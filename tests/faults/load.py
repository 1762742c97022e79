"""What children do under load until they are told to stop: score, read and work on boards, beat, and visit pages.

`shift` moves the time that a child believes in, in seconds.
"""

import random
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from celery import current_app
from django.contrib.auth.models import User
from django.test import Client

from config.schedule import SCHEDULE
from foundation import clock
from foundation.db.resilience import CACHE_TTL
from foundation.sync import resyncing
from foundation.worker.due import find_due_work
from leaderboards import selectors
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board
from leaderboards.selectors.catalog import periods
from leaderboards.services.periods import (
    close,
    open,  # noqa: A004 - our service has that name
)
from leaderboards.services.submit import pipeline as submit
from leaderboards.services.sync import mirror, resync_periods, score_ranges
from leaderboards.services.sync.due_work import MIRROR_TASK, RANGES_TASK, SETTLE_TASK
from tests.at_once import at_once
from tests.faults.history import Notes, like_a_request
from tests.faults.processes import stopping
from tests.faults.trying import as_a_task

CALLER = Caller("faults")
LATE = 0.4  # how many entries say when they happened, where a period ends


def now(shift: float) -> datetime:
    return clock.now() + timedelta(seconds=shift)


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
    lose: float = 0.0,
    ends_at: float = 0.0,
    races: bool = False,
    lately: float = CACHE_TTL,
) -> int:
    """Submit for `calls` calls, with a chance of `again` word for word what was sent; returns how many calls it were.

    With a chance of `lose` an answer is lost, and its batch is sent again at last. `ends_at`: when a period does, so
    that some entries say that they happened before. `races`: the boards' competitions are scored in. `lately` shortens
    how long a redis board that was settled is refused by who saw it stale: that saves time, never standings.
    """
    periods.CACHE_TTL = lately  # type: ignore[attr-defined]  # the module imports the name itself
    notes, dice, name = Notes(history), random.Random(seed), Path(history).stem
    said, unanswered, made = list[dict[str, Any]](), list[list[dict[str, Any]]](), 0
    end = datetime.fromtimestamp(ends_at, UTC)

    def entry() -> dict[str, Any]:
        if said and dice.random() < again:
            return dice.choice(said[-200:])
        player, points = f"p{dice.randrange(players)}", dice.randint(1, 1000)
        said.append({"board": dice.choice(boards), "player": player, "points": points, "id": f"{name}-{len(said)}"})
        if ends_at and dice.random() < LATE:
            said[-1]["at"] = (min(now(shift), end) - timedelta(milliseconds=dice.randint(1, 500))).isoformat()
        return said[-1]

    while not stopping() and (calls is None or made < calls):
        made += 1
        batch, lost = [entry() for _ in range(dice.randint(1, 2 * size))], dice.random() < lose
        send(notes, batch, shift, races=races, lost=lost)
        unanswered += [batch] * lost
        if pause:
            time.sleep(dice.uniform(0, 2 * pause))
    for batch in unanswered:
        send(notes, batch, shift, races=races)
    return made


def send(
    notes: Notes, batch: Sequence[dict[str, Any]], shift: float = 0.0, *, races: bool = False, lost: bool = False
) -> None:
    """Submit one batch and note its outcomes, unless the answer is lost; a refusal of it all leaves them unknown."""
    entries = [_entry(place, sent, races) for place, sent in enumerate(batch)]
    with notes.call(entries=list(batch)) as said:
        outcomes = submit.submit(entries, CALLER, now(shift))
        if not lost:
            said["answers"] = [[str(each.status), each.code, each.period] for each in outcomes]


def _entry(place: int, sent: dict[str, Any], races: bool) -> Entry:
    """A board's competition has the board's own number."""
    board, competition = (None, sent["board"]) if races else (sent["board"], None)
    at = datetime.fromisoformat(sent["at"]) if "at" in sent else None
    return Entry(place, board, competition, sent["player"], Decimal(sent["points"]), None, at, sent["id"])


def send_all(history: str, entries: list[dict[str, Any]], shift: float = 0.0) -> None:
    """Send these entries (again), a hundred a call, so that nothing stays unknown."""
    notes = Notes(history)
    for start in range(0, len(entries), 100):
        send(notes, entries[start : start + 100], shift)


def read(history: str, boards: list[int], pause: float = 0.02) -> None:
    """Read whole boards, noting what was seen."""
    notes = Notes(history)
    while not stopping():
        for number in boards:
            with notes.call(board=number) as said:
                seen = selectors.standings(Board.objects.get(pk=number), "current", offset=0, limit=10_000)
                points = {row.player: int(row.points or 0) for row in seen.rows}
                said.update(live=seen.live, points=points)
        time.sleep(pause)


def visit(history: str, paths: list[str], user: str = "", pause: float = 0.02) -> None:
    """Come in by the front door, pages and API, signed in as a new ``user`` if named."""
    client, notes = Client(raise_request_exception=False), Notes(history)
    client.defaults["SERVER_NAME"] = "localhost"
    if user:
        client.force_login(User.objects.create_user(user))
    while not stopping():
        for path in paths:
            with notes.call(path=path) as said:
                response = client.get(path)
                said.update(status=response.status_code, body=response.content.decode())
        time.sleep(pause)


def work(pause: float = 0.1, lease: float = 2.0, shift: float = 0.0, only: Sequence[str] = ()) -> None:
    """What the schedule does: mirror, settle, follow where a look says so, close, open; what fails keeps nothing else.

    `lease` shortens how long a settler that was killed keeps others away: that saves work, never standings.
    """
    resyncing.LEASE, resync_periods.WATERMARK_SECONDS = timedelta(seconds=lease), 1
    duties: dict[str, Callable[[], object]] = {
        "mirror": lambda: MIRROR_TASK in find_due_work() and mirror.mirror_all(),
        "settle": lambda: SETTLE_TASK in find_due_work() and resync_periods.resync_due(now(shift)),
        "ranges": lambda: RANGES_TASK in find_due_work() and score_ranges.follow_all(now(shift)),
        "close": lambda: close.close_due(now(shift)),
        "open": lambda: open.open_due(now(shift)),
    }
    while not stopping():
        for name in only or duties:
            as_a_task(name, duties[name])
        time.sleep(pause)


def beat(seed: int, lose: float, shift: float = 0.0) -> list[str]:
    """Send every task of the schedule twice at once, over and over, and lose some; the errors that tasks ended with."""
    clock._FAST = (0.0, shift, 1.0) if shift else None  # as a rehearsal: SQL's clock says nothing then
    dice, errors = random.Random(seed), list[str]()
    current_app.loader.import_default_modules()
    while not stopping():
        for entry in SCHEDULE.values():
            for name in find_due_work() if entry["task"] == "foundation.tasks.look" else [entry["task"]]:
                if dice.random() >= lose:
                    errors += _deliver_twice(current_app.tasks[name])
        time.sleep(0.02)
    return errors


def _deliver_twice(task: Callable[[], object]) -> list[str]:
    def run() -> str:
        try:
            with like_a_request():
                task()
        except Exception as error:
            return f"{task}: {error!r}"
        return ""

    return [error for error in at_once([run, run]) if error]
