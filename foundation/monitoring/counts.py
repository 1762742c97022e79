"""The numbers that this process counts: in memory, and, once it serves, in files that every process reads.

A command that runs and ends counts in memory alone, so that it leaves nothing behind. A web process or a worker calls
``share`` at its start. A folder without room ends nothing: what is not in a file stays in memory and is written once
there is room again. If somebody removes the files, they are made anew and all counters begin at 0, as after a restart:
with what they had, monitoring would take all of it for new events.
"""

import logging
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from foundation.monitoring.count_files import CountFile, Key, to_text

logger = logging.getLogger(__name__)

RETRY_SECONDS = 60.0  # until a process that found no room tries again
LOOK_SECONDS = 1.0  # between two looks whether the files are still there


class Number:
    """One number of a ``kind``: ``counter``, ``histogram`` or ``gauge_max``; ``number_of`` makes it."""

    __slots__ = ("file", "key", "kind", "place", "value")

    def __init__(self, kind: str, key: str) -> None:
        """Begin at 0, in no file."""
        self.kind, self.key, self.value = kind, key, 0.0
        self.file: CountFile | None = None
        self.place = 0

    def add(self, amount: float) -> None:
        """Increase it."""
        with _lock:
            look()
            self.value += amount
            self._write()

    def set(self, value: float) -> None:
        """Replace it."""
        with _lock:
            self.value = value
            self._write()

    def _write(self) -> None:
        if self.file is not None:
            self.file.write(self.place, self.value)
        elif _files.folder is not None:
            _files.write_all()


class _Files:
    """This process's files in the folder, one of each kind, from the first number of the kind on."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.problem = ""
        self._of_kind: dict[str, CountFile] = {}
        self._retry_at = self._look_at = 0.0

    def put(self, number: Number) -> None:
        """Give the number a place in a file; without room it stays in memory."""
        if self.folder is None or (self.problem and time.monotonic() < self._retry_at):
            return
        try:
            file = self._of_kind.get(number.kind) or self._open(self.folder, number.kind)
            number.place = file.append(number.key, number.value)
        except OSError as error:
            self._note(error)
        else:
            number.file = file

    def write_all(self) -> None:
        """Give a place to each number that has none."""
        if self.problem and time.monotonic() < self._retry_at:
            return
        self.problem = ""
        for number in _numbers.values():
            if number.file is None:
                self.put(number)

    def are_removed(self) -> bool:
        """Whether somebody removed one; looked at once a second."""
        if not self._of_kind or (now := time.monotonic()) < self._look_at:
            return False
        self._look_at = now + LOOK_SECONDS
        return any(file.is_removed() for file in self._of_kind.values())

    def forget(self) -> None:
        """Let go of the files: they are the parent's, or removed."""
        for file in self._of_kind.values():
            file.close()
        self._of_kind = {}

    def _open(self, folder: Path, kind: str) -> CountFile:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._of_kind[kind] = CountFile(folder, kind)
        return self._of_kind[kind]

    def _note(self, error: OSError) -> None:
        said, self._retry_at = error.strerror or str(error), time.monotonic() + RETRY_SECONDS
        if not _files_told:
            _files_told.append(said)
            told = "METRICS_FOLDER: %s takes no counts (%s). This process counts in memory, and tries again each minute"
            logger.error(told, self.folder, said)
        self.problem = said


_lock = threading.RLock()  # logging within it may count
_numbers: dict[tuple[str, str], Number] = {}
_files = _Files()
_files_told: list[str] = []


def number_of(kind: str, key: Key) -> Number:
    """The number of this key, which begins at 0, in a file too where this process shares its numbers."""
    text = to_text(key)
    with _lock:
        number = _numbers.get((kind, text))
        if number is None:
            number = _numbers[kind, text] = Number(kind, text)
            _files.put(number)
    return number


def share(folder: Path) -> bool:
    """From now on, write the numbers into files in ``folder``, what was counted until now too. False if it does so."""
    with _lock:
        if _files.folder is not None:
            return False
        _files.folder = folder
        _files.write_all()
    return True


def look() -> None:
    """Begin anew, at 0 and in files of its own, if somebody removed this process's files. Does it once a second."""
    with _lock:
        if not _files.are_removed():
            return
        _begin_anew()
        _files.write_all()
    told = "METRICS_FOLDER: files were removed from %s while this process counted there. Its counts begin anew, at 0"
    logger.warning(told, _files.folder)


def problem() -> str:
    """Why some numbers of this process are in no file; empty if nothing is wrong."""
    return _files.problem


def own() -> Iterator[tuple[str, str, float]]:
    """The kind, key and value of each number of this process."""
    with _lock:
        told = [(number.kind, number.key, number.value) for number in _numbers.values()]
    yield from told


def _after_fork() -> None:
    """A child begins at 0, in files of its own: its parent's counts are told by its parent's files."""
    global _lock  # noqa: PLW0603 - the parent's may be held by a thread that the child does not have
    _lock = threading.RLock()
    _begin_anew()


def _begin_anew() -> None:
    _files.forget()
    for number in _numbers.values():
        number.value, number.file = 0.0, None


os.register_at_fork(after_in_child=_after_fork)
