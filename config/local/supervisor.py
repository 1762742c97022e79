"""Start services in order, restart them when they die, and stop them in reverse.

Each child leads its own session, so that Ctrl-C reaches only the supervisor, which chooses the order of stopping. The
signal handler only sets a flag. The trap: a killed child may leave children of its own, so its whole session is killed
before it is restarted.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from config.local import child_process
from config.local.data_folder import DataFolder
from config.local.errors import DemoError, Stopped

TICK = 0.1
LONGEST_PAUSE = 10.0
STABLE_AFTER = 20.0  # seconds; a death before that counts as early


@dataclass(frozen=True)
class Service:
    """A program. `ready` is polled until it is true; `at_death` is the child's signal if the supervisor is killed.

    `ready_seconds` is the timeout for a child that hangs; one that ends is noticed at once.
    """

    name: str
    command: list[str]
    ready: Callable[[], bool] = lambda: True
    ready_seconds: float = 300
    stop_seconds: float = 10
    at_death: signal.Signals = signal.SIGTERM


@dataclass
class Running:
    """A service's latest child, and after its death the time of the restart."""

    service: Service
    child: subprocess.Popen[bytes]
    started: float = field(default_factory=time.monotonic)
    early_deaths: int = 0
    restart_at: float | None = None


class Supervisor:
    """A context manager; on exit, for whatever reason, no child is left."""

    def __init__(self, folder: DataFolder, environment: Mapping[str, str], cwd: Path) -> None:
        self._folder = folder
        self._environment = dict(environment)
        self._cwd = cwd
        self._running: list[Running] = []
        self._signals = 0
        self._parent = os.getppid()
        # Under nohup the terminal's end is ignored, and with it that of the shell.
        self._outlives_parent = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN

    def __enter__(self) -> "Supervisor":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or not self._outlives_parent:
                signal.signal(number, self._count_signal)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _count_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1

    @property
    def stopping(self) -> bool:
        """Whether a signal arrived, or the parent process ended without sending one; ``nohup`` outlives it."""
        return self._signals > 0 or (not self._outlives_parent and os.getppid() != self._parent)

    def pause(self) -> None:
        """Wait a moment. Raises ``Stopped`` after a signal."""
        if self.stopping:
            raise Stopped
        time.sleep(TICK / 2)

    # -- starting -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def beside(self, name: str, command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
        """Run a program during the block and wait for its end. Raises ``DemoError`` with its last line if it fails."""
        child = self._launch(name, command, signal.SIGTERM)
        try:
            yield child
            while child.poll() is None:
                self.pause()
        except DemoError as error:
            if child.poll():  # it failed first, so report its error
                raise self._failure_of(name) from error
            raise
        finally:
            _kill_session(child)
        if child.returncode:
            raise self._failure_of(name)

    def _failure_of(self, name: str) -> DemoError:
        return DemoError(f"{last_line(self._folder.log(name))} (more in {self._folder.log(name)})")

    def start(self, service: Service) -> None:
        """Start a service and wait until it is ready."""
        child = self._launch(service.name, service.command, service.at_death)
        self._running.append(Running(service, child))
        self._folder.pid(service.name).write_text(f"{child.pid}\n")
        deadline = time.monotonic() + service.ready_seconds
        while not service.ready():
            log = self._folder.log(service.name)
            if child.poll() is not None:
                raise DemoError(f"{service.name} stopped at its start: {last_line(log)} (more in {log})")
            if time.monotonic() > deadline:
                raise DemoError(f"{service.name} was not ready within {service.ready_seconds:.0f} s; see {log}")
            self.pause()

    def _launch(self, name: str, command: list[str], at_death: signal.Signals) -> subprocess.Popen[bytes]:
        with self._folder.log(name).open("ab") as log:
            return child_process.start(
                command,
                at_death=at_death,
                cwd=self._cwd,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    # -- watching -----------------------------------------------------------------------------

    def watch(self) -> None:
        """Restart services that die, at once the first time, then after growing pauses, until a signal arrives."""
        while not self.stopping:
            for running in self._running:
                self._check(running)
            time.sleep(TICK)

    def _check(self, running: Running) -> None:
        now = time.monotonic()
        if running.restart_at is None and running.child.poll() is not None:
            _kill_session(running.child)
            lived_long = now - running.started > STABLE_AFTER
            running.early_deaths = 0 if lived_long else running.early_deaths + 1
            running.restart_at = now + _pause_before(running.early_deaths)
        if running.restart_at is not None and now >= running.restart_at:
            self._restart(running)

    def _restart(self, running: Running) -> None:
        service, dead = running.service, running.child
        ended = how_it_ended(dead.returncode)
        running.child = self._launch(service.name, service.command, service.at_death)
        running.started, running.restart_at = time.monotonic(), None
        self._folder.pid(service.name).write_text(f"{running.child.pid}\n")
        say(f"{service.name} (pid {dead.pid}) {ended}; started again (pid {running.child.pid})")

    # -- stopping -----------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop the services in reverse order. After a second signal they are killed."""
        while self._running:
            running = self._running.pop()
            _signal(running.child, signal.SIGTERM)
            deadline = time.monotonic() + running.service.stop_seconds
            while running.child.poll() is None and time.monotonic() < deadline and self._signals < 2:
                time.sleep(TICK / 4)
            _kill_session(running.child)
            self._folder.pid(running.service.name).unlink(missing_ok=True)


def say(line: str) -> None:
    """Print, unless the terminal is closed, which must not prevent stopping the children."""
    try:
        print(line, flush=True)
    except OSError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - open until the process ends


def last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else "it said nothing"


def how_it_ended(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"


def _pause_before(early_deaths: int) -> float:
    return 0.0 if early_deaths < 2 else min(LONGEST_PAUSE, 0.5 * 2.0 ** (early_deaths - 2))


def _signal(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        child.send_signal(number)


def _kill_session(child: subprocess.Popen[bytes]) -> None:
    """Kill the rest of the child's session, and reap the child."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
