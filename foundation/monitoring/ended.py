"""Counts of processes that ended: added up into one file of each kind, so that the folder does not grow.

A process has ended if nobody holds the lock of its file. Gauges tell of a process, so they go with it. Whoever reads or
adds up does it alone (a lock on the folder): between the new sum and the removal of what is in it, all of that would be
told twice. A journal says what is to be removed, so that a process that ends in between leaves the rest to the next.
"""

import errno
import fcntl
import json
import logging
import os
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from foundation.monitoring.count_files import kind_of, read, write_whole

logger = logging.getLogger(__name__)

PROCESSES, SUMS = "processes", "ended"  # subfolders
JOURNAL = "removing.json"
PATIENCE_SECONDS = 2.0  # for another process that reads or adds up
OLD_SECONDS = 60.0  # a process is done with making a file
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock, and finish what another has left. False if it could not be had. Raises ``OSError``."""
    held = os.open(folder, os.O_RDONLY)
    try:
        is_alone = _has_lock(held, PATIENCE_SECONDS)
        if is_alone:
            _finish_quietly(folder)
        yield is_alone
    finally:
        os.close(held)


def add_up(folder: Path) -> None:
    """Add up and remove the files of processes that ended; call it while ``alone``. Raises ``OSError``."""
    sums, gone = dict[str, dict[str, float]](), list[Path]()
    for file in sorted(folder.glob("*/*.db")):
        if file.parent.name == SUMS or not kind_of(file) or not _has_ended(file):
            continue
        if not kind_of(file).startswith("gauge") and not _add(sums, file):
            continue
        gone.append(file)
    if gone:
        _replace(folder, sums, gone)
    _remove(file for file in folder.glob(f"{PROCESSES}/*.new") if _is_left(file))
    for each in folder.iterdir():
        if each.is_dir() and each.name not in {PROCESSES, SUMS}:  # of a machine or container, by the release before
            with suppress(OSError):  # it is not empty
                each.rmdir()


def _add(sums: dict[str, dict[str, float]], file: Path) -> bool:
    """Add the file to the sums of its kind; False if it cannot be read, which is told when it is read."""
    try:
        numbers = read(file)
    except (OSError, ValueError):
        return False
    held = sums.setdefault(kind_of(file), {})
    for key, value in numbers.items():
        held[key] = held.get(key, 0.0) + value
    return True


def _replace(folder: Path, sums: dict[str, dict[str, float]], gone: list[Path]) -> None:
    for kind in sums:
        _add(sums, _sum(folder, kind))
    try:
        _commit(folder, sums, gone)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        _remove(gone)  # what is removed makes room; a process killed just here loses these counts
        _commit(folder, sums, [])


def _commit(folder: Path, sums: dict[str, dict[str, float]], gone: list[Path]) -> None:
    (folder / SUMS).mkdir(mode=0o700, exist_ok=True)
    for kind, numbers in sums.items():
        write_whole(_sum(folder, kind).with_suffix(".new"), numbers)
    journal = folder / JOURNAL
    names = [str(file.relative_to(folder)) for file in gone]
    journal.with_suffix(".new").write_text(json.dumps({"kinds": list(sums), "files": names}))
    journal.with_suffix(".new").replace(journal)
    _finish(folder)


def _finish(folder: Path) -> None:
    """Do what the journal says, as far as it is not done yet."""
    journal = folder / JOURNAL
    if not journal.exists():
        return
    said = json.loads(journal.read_text())
    for kind in said["kinds"]:
        with suppress(FileNotFoundError):  # done
            _sum(folder, kind).with_suffix(".new").replace(_sum(folder, kind))
    _remove(folder / name for name in said["files"])
    journal.unlink()


def _finish_quietly(folder: Path) -> None:
    try:
        _finish(folder)
    except (OSError, ValueError) as error:  # ValueError: a killed machine has left half of it
        told = "METRICS_FOLDER: %s cannot be followed (%s): some counts of ended processes are told twice; delete it"
        logger.warning(told, folder / JOURNAL, error)


def _sum(folder: Path, kind: str) -> Path:
    return folder / SUMS / f"{kind}_ended.db"


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _has_ended(file: Path) -> bool:
    if file.parent.name == PROCESSES:
        return _is_free(file)
    # The release before locked nothing, and named machine and process. Of another machine it can only be guessed: if
    # such a process still runs beside this release, what it counts from now on is lost.
    number = file.stem.rpartition("_")[2]
    return number.isdigit() and not (file.parent.name == socket.gethostname() and _runs(int(number)))


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
        return _has_lock(held, 0)
    finally:
        os.close(held)


def _has_lock(held: int, patience: float) -> bool:
    give_up = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= give_up:
                return False
            time.sleep(0.01)
        except OSError:  # this file system has no locks: then nothing can be told to have ended
            return False
        else:
            return True


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
