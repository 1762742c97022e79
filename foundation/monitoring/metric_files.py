"""METRICS_FOLDER, in which the processes of one machine, or of several containers, count, and where all is added up.

``processes`` has files of those that run, ``ended`` the sums of those that did. A process counts there from ``serve``
on; commands, which end, never do. The folder does not grow: at each start some files of processes that ended are added
up and removed, and at a scrape once a minute, or each time until none is left.
"""

import errno
import logging
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured

from foundation.monitoring import counts, ended, snapshot
from foundation.monitoring.families import to_families
from foundation.sunwi_settings import sunwi_settings

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

logger = logging.getLogger(__name__)

EVERY_SECONDS = 60.0  # between two times that a process adds up what ended
LEAST_BYTES = 1 << 18  # that a process needs to begin to count
AT_START = 100  # files that a process adds up before it serves: some hundredths of a second
AT_SCRAPE_SECONDS = 2.0  # that a scrape adds up, step by step; what is left then, the next one does
_last: list[float] = []  # when this process last added up all that there was


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
        _add_up(Path(folder), AT_START, 0.0)


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
    leaves one behind, and the counts of the others must still be told. Raises ``CountsMove``, at the first family.
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
    counts.look()
    if not _last or time.monotonic() - _last[-1] > EVERY_SECONDS:
        _add_up(folder, ended.STEP, AT_SCRAPE_SECONDS)
    yield from snapshot.numbers_of(folder)


def _add_up(folder: Path, step: int, seconds: float) -> None:
    """Add up once, and on for so long while files are left."""
    give_up = time.monotonic() + seconds
    try:
        while (is_more_left := ended.add_up(folder, step)) and time.monotonic() < give_up:
            pass
    except FileNotFoundError:  # the folder could not be made, or was removed: nobody counts in it
        return
    except OSError as error:
        is_more_left = False
        logger.warning("METRICS_FOLDER: the counts of processes that ended cannot be added up (%s)", error)
    _last[:] = [] if is_more_left else [time.monotonic()]
