"""The game of a rehearsal: it sends scores as a game server does, as often as it takes, and keeps what was accepted."""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from competitions.management.expected import AcceptedScore
from competitions.management.record import Record
from foundation import clock
from foundation.errors import Unavailable
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.services.submit.pipeline import submit

CALLER = Caller("rehearsal")
PATIENCE_SECONDS = 30.0


class ScoreSender:
    """Scores of one competition, whose ``number`` is set as soon as there is one."""

    def __init__(self, record: Record) -> None:
        self.number = 0
        self._record = record

    def entry(self, player: str, points: int, name: str) -> dict[str, Any]:
        """A score as it is sent; ``name`` is its id."""
        return {"competition": self.number, "player": player, "points": points, "id": name}

    def send(self, entries: Sequence[dict[str, Any]], at: datetime) -> None:
        """Until each has an answer: with its id, an entry may be sent as often as it takes.

        Raises ``Unavailable`` if one is refused, or has no answer after half a minute.
        """
        give_up = time.monotonic() + PATIENCE_SECONDS
        waiting = list(entries)
        while waiting:
            outcomes = _sent(waiting, at)
            self._note(waiting, outcomes, at)
            waiting = [each for each, outcome in zip(waiting, outcomes, strict=True) if _is_open(outcome)]
            if waiting and time.monotonic() > give_up:
                raise Unavailable(f"Scores are not taken: {outcomes[-1].detail}")

    def is_refused(self, entry: dict[str, Any], at: datetime) -> bool:
        """Send a score that must not count any more; whether it was refused."""
        [outcome] = _sent([entry], at)
        return outcome.status is Status.REJECTED and not _is_open(outcome)

    def _note(self, entries: Sequence[dict[str, Any]], outcomes: Sequence[Outcome], at: datetime) -> None:
        for entry, outcome in zip(entries, outcomes, strict=True):
            if outcome.status.is_accepted:
                self._record.accepted.setdefault(entry["id"], AcceptedScore(entry["player"], entry["points"], at))
            elif not _is_open(outcome):
                raise Unavailable(f"A score of {entry['player']} is refused: {outcome.detail}")


def _sent(entries: Sequence[dict[str, Any]], at: datetime) -> list[Outcome]:
    with clock.freeze_at(at):
        return list(submit([read_entry(each, place) for place, each in enumerate(entries)], CALLER, at))


def _is_open(outcome: Outcome) -> bool:
    return outcome.status is Status.UNKNOWN or outcome.code == Unavailable.code
