"""End a worker that hangs, so that its supervisor starts another one.

A thread that hangs cannot be ended from outside. While all threads of a worker run tasks and none of them has ended a
task for ``WORKER_HUNG_SECONDS``, the stacks of all threads are written to the log and the process ends with status 70.
Nothing is lost by that: due work is found in SQL, and each of its steps can be interrupted and run again.
"""

import faulthandler
import logging
import os
import threading
import time
from typing import Any

from foundation.sunwi_settings import sunwi_settings

logger = logging.getLogger(__name__)

STATUS = 70  # EX_SOFTWARE of sysexits.h
LOOKS = 10  # in the time after which a worker hangs


def listen() -> None:
    """Watch this process once it is a worker that is ready. Calling it twice has no effect."""
    from celery.signals import worker_ready

    worker_ready.connect(_start, dispatch_uid="watchdog")


def _start(sender: Any, **_: Any) -> None:
    from celery.signals import task_postrun, task_prerun

    if not sunwi_settings.WORKER_HUNG_SECONDS:
        return
    watchdog = Watchdog(sender.controller.concurrency, sunwi_settings.WORKER_HUNG_SECONDS)
    task_prerun.connect(watchdog.note_start, dispatch_uid="watchdog", weak=False)
    task_postrun.connect(watchdog.note_end, dispatch_uid="watchdog", weak=False)
    threading.Thread(target=watchdog.run, name="watchdog", daemon=True).start()


class Watchdog:
    """Looks ``LOOKS`` times in ``seconds`` whether one of ``threads`` threads has begun or ended a task.

    It counts looks instead of time, so that a process that was frozen as a whole is not taken for one that hangs.
    """

    def __init__(self, threads: int, seconds: float) -> None:
        self._threads, self._seconds = threads, seconds
        self._running = set[str]()
        self._signals = self._signals_seen = self._looks = 0

    def note_start(self, task_id: str, **_: Any) -> None:
        """Take the signal of a task that begins."""
        self._running.add(task_id)
        self._signals += 1

    def note_end(self, task_id: str, **_: Any) -> None:
        """Take the signal of a task that has ended."""
        self._running.discard(task_id)
        self._signals += 1

    def hangs(self) -> bool:
        """Look once more: whether all threads are busy, and nothing was begun or ended in the last ``LOOKS`` looks."""
        is_idle = len(self._running) < self._threads or self._signals != self._signals_seen
        self._signals_seen, self._looks = self._signals, 0 if is_idle else self._looks + 1
        return self._looks >= LOOKS

    def run(self) -> None:
        """Look again and again; end the process once it hangs."""
        while not self.hangs():
            time.sleep(self._seconds / LOOKS)
        logger.critical("no task has ended for %g s and all threads are busy: this worker ends itself", self._seconds)
        faulthandler.dump_traceback(all_threads=True)
        os._exit(STATUS)  # whoever waits for the threads would hang too
