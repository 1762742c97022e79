"""What every page of the admin shows: what is wrong, and what waits. One look, remembered for some seconds by each
process, whoever asks; whoever comes while it is renewed gets the one before.
"""

import logging
import threading
from dataclasses import dataclass
from datetime import datetime

from config.console import needs, troubles
from config.console.blocks import Budget
from config.console.needs import Need
from config.console.troubles import Trouble
from foundation import clock

logger = logging.getLogger(__name__)

FRESH_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Look:
    """When it was, what is wrong, what waits, and why a part of either could not be read."""

    at: datetime
    troubles: tuple[Trouble, ...]
    needs: tuple[Need, ...]
    failed: tuple[str, ...]
    statements: int


class _Remembered:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._look: Look | None = None
        self._until = 0.0

    def get(self) -> Look:
        kept = self._look
        if kept is not None and clock.monotonic() < self._until:
            return kept
        # Who finds another at it takes what there was; where there was nothing, they wait.
        if not self._lock.acquire(blocking=kept is None) and kept is not None:
            return kept
        try:
            if self._look is None or clock.monotonic() >= self._until:
                self._look, self._until = _look(), clock.monotonic() + FRESH_SECONDS
            return self._look
        finally:
            self._lock.release()

    def forget(self) -> None:
        self._look, self._until = None, 0.0
        troubles.seen.answered_at, troubles.seen.refusal = None, "redis_away"


_remembered = _Remembered()
look = _remembered.get
forget = _remembered.forget


def _look() -> Look:
    at, budget = clock.now(), Budget()
    wrong = [budget.read(check.__name__, lambda check=check: list(check(at))) for check in troubles.CHECKS]  # type: ignore[misc]
    waiting = [budget.read(kind.__name__, lambda kind=kind: kind(at)) for kind in needs.KINDS]  # type: ignore[misc]
    return Look(
        at,
        tuple(trouble for block in wrong for trouble in block.value or ()),
        tuple(block.value for block in waiting if block.value),
        tuple(dict.fromkeys(block.failed for block in (*wrong, *waiting) if block.failed)),
        budget.statements,
    )
