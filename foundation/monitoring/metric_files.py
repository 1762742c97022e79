"""METRICS_FOLDER, in which the processes of one machine, or of several containers, count, and where all is added up.

``processes`` has files of those that run, ``ended`` the sums of those that did. A process counts there from ``serve``
on; commands, which end, never do. The folder does not grow: at each start, and at a scrape once a minute, files of
processes that ended are added up and removed.
"""

import errno
import logging
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured

from foundation.monitoring import counts, ended
from foundation.monitoring.count_files import kind_of, read
from foundation.monitoring.families import to_families
from foundation.sunwi_settings import sunwi_settings

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

logger = logging.getLogger(__name__)

EVERY_SECONDS = 60.0  # between two times that a process adds up what ended
LEAST_BYTES = 1 << 18  # that a process needs to begin to count
_logged: set[str] = set()  # files that this process has logged as unreadable
_last: list[float] = []  # when this process last added up


def open_folder(folder: str) -> str:
    """Make ``folder``; repeating it does nothing. A full disk is no error: processes then count in memory.

    Returns its absolute path; empty for none: then each process counts for itself. Raises ``ImproperlyConfigured`` if
    it cannot be made, or written to.
    """
    if not folder:
        return ""
    path, why = Path(folder).resolve(), ""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            why = f"cannot be made ({error.strerror})"
    else:
        why = "" if os.access(path, os.W_OK | os.X_OK) else "cannot be written to"
    if why:
        raise ImproperlyConfigured(f"METRICS_FOLDER: {path} {why}. Give the user of the processes a folder of theirs.")
    return str(path)


def serve(**_: Any) -> None:
    """Count in METRICS_FOLDER from now on: this process serves. Calling it twice has no effect."""
    folder = sunwi_settings.METRICS_FOLDER
    if folder and counts.share(Path(folder) / ended.PROCESSES):
        list(_numbers_of(Path(folder)))  # which adds up what ended


def listen() -> None:
    """Serve from the first request on, or once a worker begins. Calling it twice has no effect."""
    from celery.signals import worker_init
    from django.core.signals import request_started

    def serve_once(**_: Any) -> None:
        request_started.disconnect(dispatch_uid="metrics")
        serve()

    request_started.connect(serve_once, weak=False, dispatch_uid="metrics")
    worker_init.connect(serve, dispatch_uid="metrics")


def merged_counts(folder: str) -> Iterable["Metric"]:
    """Add up what the processes of all machines count in ``folder``, and did count in it.

    A file that is empty, cut off or none of theirs is left out, and logged once by each process: a killed machine
    leaves one behind, and the counts of the others must still be told.
    """
    return to_families(_numbers_of(Path(folder)))


def describe_folder() -> list[str]:
    """One sentence if processes find no room in METRICS_FOLDER, or this one did not; for ``/readyz`` and ``doctor``."""
    folder = sunwi_settings.METRICS_FOLDER
    if not folder:
        return []
    why = counts.problem() or _lack_of_room(Path(folder))
    if not why:
        return []
    return [f"metrics are incomplete: METRICS_FOLDER {folder} takes no counts ({why}); make room there"]


def _lack_of_room(folder: Path) -> str:
    try:
        there = os.statvfs(folder)
    except OSError as error:
        return str(error.strerror)
    left = there.f_bavail * there.f_frsize
    return f"{left:,} bytes are left" if left < LEAST_BYTES else ""


def _numbers_of(folder: Path) -> Iterator[tuple[str, str, float]]:
    try:
        with ended.alone(folder) as is_alone:
            if is_alone and (not _last or time.monotonic() - _last[-1] > EVERY_SECONDS):
                _last[:] = [time.monotonic()]
                _add_up(folder)
            read_now = [(file, _read(file)) for file in sorted(folder.glob("*/*.db")) if kind_of(file)]
    except FileNotFoundError:  # the folder could not be made, or was removed: nobody counts in it
        return
    for file, numbers in read_now:
        yield from ((kind_of(file), key, value) for key, value in numbers.items())


def _add_up(folder: Path) -> None:
    try:
        ended.add_up(folder)
    except OSError as error:
        logger.warning("METRICS_FOLDER: the counts of processes that ended cannot be added up (%s)", error)


def _read(file: Path) -> dict[str, float]:
    """Its numbers; none where it cannot be read."""
    try:
        numbers = read(file)
    except FileNotFoundError:  # deleted a moment ago
        return {}
    except (OSError, ValueError) as error:
        if str(file) not in _logged:
            _logged.add(str(file))
            said = f"{type(error).__name__}: {error}"
            logger.warning(
                "METRICS_FOLDER: %s cannot be read (%s) and is left out; delete it if it stays so", file, said
            )
        return {}
    _logged.discard(str(file))  # it was only being made
    return numbers
