"""The status that every page of the admin shows: troubles, and work that waits.

Each process caches it for some seconds, for all readers. While it is refreshed, other requests get the previous one.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from config.console import needs, troubles
from config.console.needs import Need
from config.console.troubles import Trouble
from foundation import clock
from foundation.db.blocks import Block, Budget

FRESH_SECONDS = 5.0
ALONE_MILLISECONDS = 100  # of SQL for each part, if they have to be read separately


@dataclass(frozen=True, slots=True)
class Status:
    """The troubles and the waiting work at a time; ``failed`` says why parts could not be read."""

    at: datetime
    troubles: tuple[Trouble, ...]
    needs: tuple[Need, ...]
    failed: tuple[str, ...]
    statements: int


class _StatusCache:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._status: Status | None = None
        self._read_at = 0.0

    def get(self, at_most: float = FRESH_SECONDS) -> Status:
        """Return the status, read anew if it is older than ``at_most`` seconds."""
        cached = self._status
        if cached is not None and clock.monotonic() < self._read_at + at_most:
            return cached
        # While another thread refreshes, return the previous status; without one, wait.
        if not self._lock.acquire(blocking=cached is None) and cached is not None:
            return cached
        try:
            if self._status is None or clock.monotonic() >= self._read_at + at_most:
                self._status, self._read_at = _read_status(), clock.monotonic()
            return self._status
        finally:
            self._lock.release()

    def forget(self) -> None:
        self._status = None
        troubles.seen.answered_at, troubles.seen.refusal = None, "redis_away"


_cache = _StatusCache()
current_status = _cache.get
forget = _cache.forget


def _read_status() -> Status:
    at = clock.now()
    checks = len(troubles.CHECKS)
    parts: list[Callable[[datetime], Any]] = [*troubles.CHECKS, *needs.KINDS]
    blocks, statements = _read_parts(parts, at)
    return Status(
        at,
        troubles.without_consequences([trouble for block in blocks[:checks] for trouble in block.value or ()]),
        tuple(block.value for block in blocks[checks:] if block.value),
        tuple(dict.fromkeys(block.failed for block in blocks if block.failed)),
        statements,
    )


def _read_parts(parts: Sequence[Callable[[datetime], Any]], at: datetime) -> tuple[list[Block[Any]], int]:
    """Read all parts in one transaction, or each in its own if one fails; also return the number of statements."""
    budget = Budget()
    block = budget.read("the status", lambda: [_read_part(part, at) for part in parts])
    if block.value is not None:
        return [Block(value) for value in block.value], budget.statements
    budgets = [Budget(ALONE_MILLISECONDS) for _ in parts]
    blocks: list[Block[Any]] = []
    for part, own in zip(parts, budgets, strict=True):
        blocks.append(own.read(part.__name__, partial(_read_part, part, at)))
    return blocks, budget.statements + sum(own.statements for own in budgets)


def _read_part(part: Callable[[datetime], Any], at: datetime) -> Any:
    """Call a part. Checks are generators, so their troubles are collected here, within the budget."""
    answer = part(at)
    return list(answer) if isinstance(answer, Iterator) else answer
