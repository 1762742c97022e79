"""Limit the files that one process makes at once (``EXPORTS_AT_ONCE``), so that they never occupy all its threads."""

import threading
from collections.abc import Iterator
from itertools import chain
from typing import Any
from weakref import WeakSet

from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings
from leaderboards.errors import ExportsBusy


def with_export_slot(parts: Iterator[Any]) -> "ExportSlot":
    """Stream the ``parts`` (text or bytes) of a file within a slot. Raises ``ExportsBusy``.

    The first part is read here, so that an early failure becomes an error response instead of a broken download.
    """
    with ExportSlot() as slot:
        return slot.hold_while_streaming(chain([next(parts)], parts))


class ExportSlot:
    """A slot for one export. It ends with the ``with`` block; if the export is streamed, once the stream is read,
    closed or garbage collected."""

    def __init__(self) -> None:
        self._parts: Iterator[Any] | None = None

    def __enter__(self) -> "ExportSlot":
        _acquire(self)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._parts is None or raised[0] is not None:
            self.close()

    def hold_while_streaming(self, parts: Iterator[Any]) -> "ExportSlot":
        """Return an iterator over ``parts`` that keeps the slot until it ends."""
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
        """Release the slot; may be called twice."""
        _slots.discard(self)


# The slots in use in this process. Weak references, since an aborted download may never call close().
_slots: "WeakSet[ExportSlot]" = WeakSet()
_lock = threading.Lock()


def _acquire(slot: ExportSlot) -> None:
    """Take a slot. Raises ``ExportsBusy`` if all are in use."""
    with _lock:
        if len(_slots) >= sunwi_settings.EXPORTS_AT_ONCE:
            raise ExportsBusy(Message("Many files are being made at the moment; try again in a few seconds."))
        _slots.add(slot)


def release_export_slots() -> None:
    """Release all slots (for tests)."""
    _slots.clear()
