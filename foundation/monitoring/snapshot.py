"""What all processes of a folder count and did count, at one moment, without a lock.

First the files of processes are read, then the sums, which name the files that were added to them meanwhile: those are
left out. A file that is gone and that no sum names, or more names than sums keep, means: read again. So each count is
told once, and a number that is not right never: rather none (``CountsMove``).
"""

import logging
import time
from pathlib import Path

from foundation.errors import Unavailable
from foundation.monitoring import sums
from foundation.monitoring.count_files import kind_of, read
from foundation.monitoring.ended import PROCESSES, name_among_ours
from foundation.monitoring.sums import SUMS, Sum

logger = logging.getLogger(__name__)

TRIES = 10
PAUSE_SECONDS = 0.05
_logged: set[str] = set()  # files that this process has logged as unreadable


class CountsMove(Unavailable):
    """The files changed each time that they were read."""


class _Changed(Exception):
    """What was read is not of one moment."""


def numbers_of(folder: Path) -> list[tuple[str, str, float]]:
    """The kind, key and value of each number, several times where several files have it.

    A file that cannot be read is left out, and logged once. Raises ``CountsMove``.
    """
    for nth in range(TRIES):
        if nth:
            time.sleep(PAUSE_SECONDS)
        try:
            return _read_all(folder)
        except _Changed:
            continue
    raise CountsMove(
        f"METRICS_FOLDER changed each of the {TRIES} times that it was read; ask again. If it stays so, a process that "
        "adds up counts was stopped, or something else removes files there."
    )


def _read_all(folder: Path) -> list[tuple[str, str, float]]:
    before = {kind: _sum(folder, kind).added for kind in sums.KINDS}
    found = {_name(file): (kind_of(file), _numbers(file)) for file in _files(folder)}
    if sums.are_moving(folder):
        raise _Changed
    told: list[tuple[str, str, float]] = []
    for kind in sums.KINDS:
        after = _sum(folder, kind)
        if after.added - before[kind] > len(after.names):
            raise _Changed
        told.extend((kind, key, value) for key, value in after.numbers.items())
        for name in after.names:
            found.pop(name, None)
    for kind, numbers in found.values():
        if numbers is None and kind in sums.KINDS:
            raise _Changed
        told.extend((kind, key, value) for key, value in (numbers or {}).items())
    return told


def _name(file: Path) -> str:
    try:
        return name_among_ours(file)
    except FileNotFoundError as error:  # it was moved among ours just now
        raise _Changed from error


def _files(folder: Path) -> list[Path]:
    """The files of processes; those of the release before first, since they are moved among ours."""
    others = [file for file in folder.glob("*/*.db") if file.parent.name not in {PROCESSES, SUMS}]
    return [file for file in (*others, *(folder / PROCESSES).glob("*.db")) if kind_of(file)]


def _numbers(file: Path) -> dict[str, float] | None:
    """Its numbers; none where it cannot be read, None where it is gone."""
    try:
        numbers = read(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _log(file, error)
        return {}
    _logged.discard(str(file))  # it was only being made
    return numbers


def _sum(folder: Path, kind: str) -> Sum:
    file = sums.file_of(folder, kind)
    try:
        return sums.read_sum(file)
    except (OSError, ValueError) as error:
        _log(file, error)
        return Sum({})


def _log(file: Path, error: Exception) -> None:
    if str(file) in _logged:
        return
    _logged.add(str(file))
    told = "METRICS_FOLDER: %s cannot be read (%s) and is left out; delete it if it stays so"
    logger.warning(told, file, f"{type(error).__name__}: {error}")
