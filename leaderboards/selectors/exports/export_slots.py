"""How many long files one process makes at once (``EXPORTS_AT_ONCE``), so that they never have all its threads."""

import threading
from collections.abc import Iterator
from itertools import chain
from typing import Any
from weakref import WeakSet

from django.conf import settings

from leaderboards.errors import ExportsBusy


def with_export_slot(parts: Iterator[Any]) -> "ExportSlot":
    """``parts`` of a file, in text or bytes, to be streamed. The first one is read here: what fails at once is refused
    properly instead of breaking off. Raises ``ExportsBusy``."""
    with ExportSlot() as turn:
        return turn.hold_while_streaming(chain([next(parts)], parts))


class ExportSlot:
    """One export's turn: over at the end of the block, or once what was handed on is read, closed or forgotten."""

    def __init__(self) -> None:
        self._parts: Iterator[Any] | None = None

    def __enter__(self) -> "ExportSlot":
        _begin(self)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._parts is None or raised[0] is not None:
            self.close()

    def hold_while_streaming(self, parts: Iterator[Any]) -> "ExportSlot":
        """``parts``, to be iterated; the turn lasts that long."""
        self._parts = parts
        return self

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._parts or iter(()))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """It is over; saying so twice changes nothing."""
        _turns.discard(self)


# Those of this process that are not over. Weak: who stops reading may not say so.
_turns: "WeakSet[ExportSlot]" = WeakSet()
_lock = threading.Lock()


def _begin(turn: ExportSlot) -> None:
    """Count one more export. Raises ``ExportsBusy`` where there are as many as may be."""
    with _lock:
        if len(_turns) >= settings.EXPORTS_AT_ONCE:
            raise ExportsBusy("Many files are being made at the moment; try again in a few seconds.")
        _turns.add(turn)


def release_export_slots() -> None:
    """As if none were being made."""
    _turns.clear()
