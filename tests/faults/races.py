"""Competitions whose end is moved, or which are frozen, while others score: what children do on event boards.

A board's competition has the board's own number. It says in `competition` what `board` says in the history.
"""

import random
import time
from collections.abc import Collection, Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from foundation import clock
from foundation.errors import SunwiError, Unavailable
from leaderboards.core.entries import Entry
from leaderboards.core.periods import event_label, event_window
from leaderboards.models import Board, Period, Standing
from leaderboards.services import events, extend, submit
from leaderboards.services.events import Event
from leaderboards.services.freeze import copy_period
from leaderboards.services.open import open_period
from leaderboards.stores.sql_writes import state_of
from tests.faults.nursery import stopping
from tests.faults.writers import CALLER, Notes, like_a_request

DAYS = 30  # to the end that is announced; periods end sooner


class Races:
    """Everybody takes part in every board's competition."""

    def named(self, numbers: Collection[int], at: object) -> Mapping[int, Event | SunwiError]:
        return {board.pk: _event(board, DAYS) for board in Board.objects.filter(pk__in=numbers)}

    def joined(self, pairs: Collection[tuple[int, str]]) -> Collection[tuple[int, str]]:
        return pairs

    def gone(self, number: int) -> Collection[int]:
        return ()


def _event(board: Board, days: float) -> Event:
    window = event_window(board.pk, board.created_at - timedelta(hours=1), board.created_at + timedelta(days=days))
    return Event(board.pk, board, window)


def begin(boards: list[int]) -> None:
    """Open the competitions' periods, which end in a day."""
    for board in Board.objects.filter(pk__in=boards):
        open_period(board, _event(board, days=1).window)


def write(history: str, boards: list[int], seed: int) -> int:
    """Score until told to stop; returns how many calls that were."""
    events.provide(Races())
    notes, dice, made = Notes(history), random.Random(seed), 0
    while not stopping():
        made += 1
        batch: list[dict[str, Any]] = [
            {
                "board": dice.choice(boards),
                "player": f"p{dice.randrange(40)}",
                "points": dice.randint(1, 100),
                "id": f"{Path(history).stem}-{made}-{number}",
            }
            for number in range(4)
        ]
        entries = [
            Entry(n, None, each["board"], each["player"], Decimal(each["points"]), None, None, each["id"])
            for n, each in enumerate(batch)
        ]
        notes.write(call=made, began=time.monotonic(), entries=batch)
        with like_a_request():
            outcomes = submit.submit(entries, CALLER, clock.now())
        answers = [[str(each.status), each.code, each.period] for each in outcomes]
        notes.write(call=made, ended=time.monotonic(), answers=answers)
        time.sleep(dice.uniform(0, 0.01))
    return made


def move(board: int, days: float, chunk: int = 10) -> None:
    """Let the competition end that many days after its board was made."""
    extend.CHUNK = chunk
    period = _period(board)
    extend.move_end(period, period.board.created_at + timedelta(days=days), clock.now())


def move_at_last(board: int, days: float, seconds: float = 30.0) -> None:
    """The same, again and again until nothing that decides is away or being settled."""
    began = time.monotonic()
    while True:
        try:
            with like_a_request():
                move(board, days)
        except Unavailable:
            assert time.monotonic() - began < seconds, "not moved in time"
            time.sleep(0.1)
        else:
            return


def freeze(board: int) -> int:
    """Copy the standings as they are now; returns how many there are."""
    return copy_period(_period(board), f"c{board}-frozen", clock.now()).players


def badly_packed(boards: list[int]) -> list[str]:
    """The standings whose score is not what the period's present layout makes of them."""
    return [f"{board}/{name}" for board in boards for name in _badly_packed(_period(board))]


def _badly_packed(period: Period) -> list[str]:
    found = []
    for row in Standing.objects.filter(period=period, score__isnull=False).select_related("player"):
        state = state_of(row.points, row.fields, row.at)
        if (row.score, row.member) != period.layout.pack(state.value, state.at_ms, row.player.external_id):
            found.append(row.player.external_id)
    return found


def _period(board: int) -> Period:
    return Period.objects.select_related("board").get(board=board, label=event_label(board))
