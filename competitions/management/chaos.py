"""Kill the Redis and the worker of a running demo, which restarts them, and no other process.

A running demo holds the lock of its DATA_DIR; without the lock, pid files may name any process.
"""

import fcntl
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

VICTIMS = ("redis", "worker")
KILLS_EACH = 2


class Chaos:
    """Kills each of the demo's processes a few times, at random half hours."""

    def __init__(self, root: Path, half_hours: range, dice: random.Random, say: Callable[[str], None]) -> None:
        self._run = root / "run"
        self._say = say
        self._due = {name: set(dice.sample(half_hours, k=KILLS_EACH)) for name in VICTIMS}

    def meanwhile(self, half_hour: int) -> None:
        """Kill the processes that are due at this half hour."""
        for name in VICTIMS:
            if half_hour in self._due[name] and (pid := self._pid(name)):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self._say(f"{'':9}  kill -9 {pid}: the demo's {name}")

    def finds_nobody(self) -> bool:
        """Whether there is no process that may be killed."""
        return not any(self._pid(name) for name in VICTIMS)

    def _pid(self, name: str) -> int:
        """Return the process id in the running demo; 0 if there is none, or no demo runs here."""
        path = self._run / f"{name}.pid"
        if not self._is_locked():
            return 0
        try:
            return int(path.read_text())
        except (FileNotFoundError, ValueError):
            return 0

    def _is_locked(self) -> bool:
        try:
            with (self._run / "lock").open("a+") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            return False
        return False
