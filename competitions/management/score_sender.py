"""The game server of a rehearsal: it sends scores, retries until they have an answer, and records the accepted ones."""

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
    """Sends scores of one competition; set ``number`` once the competition exists."""

    def __init__(self, record: Record) -> None:
        self.number = 0
        self._record = record

    def entry(self, player: str, points: int, name: str) -> dict[str, Any]:
        """Return a score as JSON; ``name`` is its id."""
        return {"competition": self.number, "player": player, "points": points, "id": name}

    def send(self, entries: Sequence[dict[str, Any]], at: datetime) -> None:
        """Send entries, and retry with the same ids until each has an answer.

        Raises ``Unavailable`` if one is refused, or has no answer after half a minute.
        """
        give_up = time.monotonic() + PATIENCE_SECONDS
        waiting = list(entries)
        while waiting:
            outcomes = _submit(waiting, at)
            self._record_accepted(waiting, outcomes, at)
            waiting = [each for each, outcome in zip(waiting, outcomes, strict=True) if _is_open(outcome)]
            if waiting and time.monotonic() > give_up:
                raise Unavailable(f"Scores are not taken: {outcomes[-1].detail}")

    def is_refused(self, entry: dict[str, Any], at: datetime) -> bool:
        """Send a score that must be refused; returns whether it was."""
        [outcome] = _submit([entry], at)
        return outcome.status is Status.REJECTED and not _is_open(outcome)

    def _record_accepted(self, entries: Sequence[dict[str, Any]], outcomes: Sequence[Outcome], at: datetime) -> None:
        for entry, outcome in zip(entries, outcomes, strict=True):
            if outcome.status.is_accepted:
                self._record.accepted.setdefault(entry["id"], AcceptedScore(entry["player"], entry["points"], at))
            elif not _is_open(outcome):
                raise Unavailable(f"A score of {entry['player']} is refused: {outcome.detail}")


def _submit(entries: Sequence[dict[str, Any]], at: datetime) -> list[Outcome]:
    with clock.freeze_at(at):
        return list(submit([read_entry(each, place) for place, each in enumerate(entries)], CALLER, at))


def _is_open(outcome: Outcome) -> bool:
    return outcome.status is Status.UNKNOWN or outcome.code == Unavailable.code
