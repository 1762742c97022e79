"""Counts of processes that ended are added up into one file of each kind, so that the folder does not grow.

A process has ended if nobody holds the lock of its file. Gauges tell of a process, so they go with it. One process at a
time adds up (a lock on the folder), in steps of some files each; nobody waits for it, neither who reads nor who starts.
"""

import errno
import fcntl
import os
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from foundation.monitoring import sums
from foundation.monitoring.count_files import kind_of, read
from foundation.monitoring.sums import SUMS, Sum

PROCESSES = "processes"  # the subfolder
STEP = 1_000  # files that are added up at once
OLD_SECONDS = 60.0  # a process is done with making a file
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def add_up(folder: Path, most: int = STEP) -> bool:
    """Add up and remove at most so many files of processes that ended. Whether that was not all.

    It does nothing while another process does it. Raises ``OSError``.
    """
    with _alone(folder) as is_alone:
        return is_alone and _add_up(folder, most)


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock; False if it could not be had."""
    held = os.open(folder, os.O_RDONLY)
    try:
        yield _has_lock(held)
    finally:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(held, fcntl.LOCK_UN)  # closing alone leaves it to a child that was forked meanwhile
        os.close(held)


def _add_up(folder: Path, most: int) -> bool:
    sums.forget_moving(folder)
    old = {kind: _sum(folder, kind) for kind in sums.KINDS}
    _remove(folder / PROCESSES / name for each in old.values() for name in each.names)  # a killed one left them
    had_most = _take_over(folder, most)
    count, gone = 0, {kind: dict[str, dict[str, float]]() for kind in sums.KINDS}
    for file, numbers in islice(_ended(folder), most):
        count += 1
        if numbers is None:
            file.unlink(missing_ok=True)
        else:
            gone[kind_of(file)][file.name] = numbers
    for kind, added in gone.items():
        if added:
            _replace(folder, kind, sums.plus(old[kind], added), [folder / PROCESSES / name for name in added])
    _remove(file for file in folder.glob(f"{PROCESSES}/*.new") if _is_left(file))
    return had_most or count == most


def _sum(folder: Path, kind: str) -> Sum:
    """The sum; an empty one instead of one that cannot be read, which whoever reads it logs."""
    try:
        return sums.read_sum(sums.file_of(folder, kind))
    except ValueError:
        return Sum({})


def _ended(folder: Path) -> Iterator[tuple[Path, dict[str, float] | None]]:
    """Files of processes that ended and their numbers, None for gauges; without those that cannot be read."""
    for file in (folder / PROCESSES).glob("*.db"):
        kind = kind_of(file)
        if not kind or not _is_free(file):
            continue
        if kind not in sums.KINDS:
            yield file, None
            continue
        with suppress(OSError, ValueError):
            yield file, read(file)


def _replace(folder: Path, kind: str, new: Sum, gone: list[Path]) -> None:
    if sums.has_too_many(new.numbers):
        new = new._replace(numbers=sums.without_oldest(new.numbers, _used(folder, kind, {file.name for file in gone})))
    file = sums.file_of(folder, kind)
    try:
        sums.write_sum(file, new)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        with sums.moving(file):
            _remove(gone)  # what is removed makes room; a process killed just here loses these counts
            sums.write_sum(file, new)
    _remove(gone)


def _used(folder: Path, kind: str, gone: set[str]) -> set[sums.Series]:
    """The series of the files that stay."""
    used = set[sums.Series]()
    for file in (folder / PROCESSES).glob(f"{kind}_*.db"):
        if file.name not in gone:
            with suppress(OSError, ValueError):
                used.update(map(sums.series_of, read(file)))
    return used


def _take_over(folder: Path, most: int) -> bool:
    """Move files of ended processes of the release before, which are in folders of machines, among ours.

    Whether that were so many that more may be left.
    """
    (folder / PROCESSES).mkdir(mode=0o700, exist_ok=True)
    others = [each for each in folder.iterdir() if each.is_dir() and each.name not in {PROCESSES, SUMS}]
    files = (file for other in others for file in other.glob("*.db") if kind_of(file) and not _runs(file))
    count = 0
    for file in islice(files, most):
        count += 1
        file.replace(folder / PROCESSES / name_among_ours(file))
    for other in others:
        with suppress(OSError):  # it is not empty
            other.rmdir()
    return count == most


def name_among_ours(file: Path) -> str:
    """The name in PROCESSES, which is there once: the release before uses its names again. Raises ``OSError``."""
    return file.name if file.parent.name == PROCESSES else f"{file.stem}-{file.stat().st_ino}.db"


def _runs(file: Path) -> bool:
    """Whether a process of the release before still runs, by its file, which names machine and process.

    Of another machine it can only be guessed: if it does run, what it counts from now on is lost.
    """
    number = file.stem.rpartition("_")[2]
    if not number.isdigit() or file.parent.name != socket.gethostname():
        return not number.isdigit()
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_left(file: Path) -> bool:
    """Whether a process ended, a minute ago or more, while it made this file."""
    try:
        return time.time() - file.stat().st_mtime > OLD_SECONDS and _is_free(file)
    except FileNotFoundError:
        return False


def _is_free(file: Path) -> bool:
    """Whether nobody holds its lock."""
    try:
        held = os.open(file, os.O_RDONLY)
    except OSError:
        return False
    try:
        return _has_lock(held)
    finally:
        os.close(held)


def _has_lock(held: int) -> bool:
    """Take the lock; False if another has it, or this file system has none: then nothing can be told to have ended."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
