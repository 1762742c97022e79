"""What every page of the admin shows: what is wrong, and what waits. One look, remembered for some seconds by each
process, whoever asks; whoever comes while it is renewed gets the one before.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from config.console import needs, troubles
from config.console.blocks import Block, Budget
from config.console.needs import Need
from config.console.troubles import Trouble
from foundation import clock

FRESH_SECONDS = 5.0
ALONE_MILLISECONDS = 100  # of SQL for a part that is read by itself, because another failed


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
    at = clock.now()
    asked = len(troubles.CHECKS)
    parts: list[Callable[[datetime], Any]] = [*troubles.CHECKS, *needs.KINDS]
    blocks, statements = _together(parts, at)
    return Look(
        at,
        tuple(trouble for block in blocks[:asked] for trouble in block.value or ()),
        tuple(block.value for block in blocks[asked:] if block.value),
        tuple(dict.fromkeys(block.failed for block in blocks if block.failed)),
        statements,
    )


def _together(parts: Sequence[Callable[[datetime], Any]], at: datetime) -> tuple[list[Block[Any]], int]:
    """What each part answers: all in one transaction, and where one of them fails, each in its own."""
    budget = Budget()
    found = budget.read("the look", lambda: [_listed(part(at)) for part in parts])
    if found.value is not None:
        return [Block(value) for value in found.value], budget.statements
    alone = [Budget(ALONE_MILLISECONDS) for _ in parts]
    blocks: list[Block[Any]] = []
    for part, own in zip(parts, alone, strict=True):
        blocks.append(own.read(part.__name__, partial(_asked, part, at)))
    return blocks, budget.statements + sum(own.statements for own in alone)


def _asked(part: Callable[[datetime], Any], at: datetime) -> Any:
    return _listed(part(at))


def _listed(answer: Any) -> Any:
    """Checks yield troubles as they find them: here they have found all."""
    return list(answer) if isinstance(answer, Iterator) else answer
