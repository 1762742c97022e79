"""Programs of a deployment, started as in production: each can be killed, frozen, ended in order and started again.

Start them from the main thread: they die with the thread that started them (config/local/child_process.py).
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from config.local import child_process

ROOT = Path(__file__).parents[2]
STARTS_WITHIN = 90.0  # seconds, on a machine that does other things too
ENDS_WITHIN = 30.0


class Program:
    """One program with its children, all in a session of their own. It is started from the checkout ``code``."""

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], log: Path, ready: Callable[[], bool]
    ) -> None:
        self.name, self.log = name, log
        self._command, self._environment, self._ready = list(command), dict(environment), ready
        self._child: subprocess.Popen[bytes] | None = None
        self.code = ROOT

    @property
    def pid(self) -> int:
        assert self._child is not None, f"{self.name} does not run"
        return self._child.pid

    def start(self) -> None:
        """Start it and wait until it is ready."""
        self.begin()
        self.wait_until_ready()

    def begin(self) -> None:
        with self.log.open("ab") as log:
            self._child = child_process.start(
                self._command, cwd=self.code, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def wait_until_ready(self) -> None:
        give_up = time.monotonic() + STARTS_WITHIN
        while not self._ready():
            assert self.is_up(), f"{self.name} ended: {self.log_tail()}"
            assert time.monotonic() < give_up, f"{self.name} is not ready: {self.log_tail()}"
            time.sleep(0.1)

    def is_up(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def pids(self) -> list[int]:
        """Its own, then those of its children that run Python."""
        return [self.pid, *self.children()] if self.is_up() else []

    def children(self) -> list[int]:
        """Its children, without multiprocessing's helper, which watches over semaphores."""
        with suppress(OSError):
            found = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
            return [int(each) for each in found if b"resource_tracker" not in _command_line(each)]
        return []

    def send(self, number: int) -> None:
        """A signal to the program and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def kill(self) -> None:
        """As a machine that loses power: the program and its children at once."""
        if self._child is not None:
            self.send(signal.SIGKILL)
            self._child.wait()
            self._child = None

    def end(self) -> None:
        """In order, by TERM to the program itself; what does not end in time is killed."""
        if self._child is None:
            return
        self._child.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(ENDS_WITHIN)
        self.kill()

    def log_tail(self) -> str:
        return self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
