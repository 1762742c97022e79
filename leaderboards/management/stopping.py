"""Signals that end a command (Ctrl-C, TERM as a container's stop sends it, HUP of a closed terminal), made exceptions.

A command that is stopped says so and exits with 128 + the signal's number, as shells count. One that works in steps
holds them (``held``): the first signal waits for the end of the step, a second one ends the step too. The trap: the
exception is no ``Exception``, so that nothing on its way takes it for a failure of its own.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """Somebody sent this signal."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)

    @property
    def status(self) -> int:
        """The exit status: 130 for Ctrl-C, 143 for TERM."""
        return 128 + self.signal


class Hold:
    """Notes the first signal, raises ``Stopped`` in the midst of a step at the second, and ignores all after an end."""

    def __init__(self) -> None:
        self._noted: int | None = None
        self._is_ending = False

    def check(self) -> None:
        """Between two steps: raise ``Stopped`` if there was a signal."""
        if self._noted is not None:
            self.end()
            raise Stopped(self._noted)

    def end(self) -> None:
        """Let no further signal disturb what is told at the end."""
        self._is_ending = True

    def note(self, number: int, _frame: FrameType | None) -> None:
        """A signal came."""
        if self._is_ending:
            return
        if self._noted is None:
            self._noted = number
            return
        self.end()
        raise Stopped(number)


@contextmanager
def raised() -> Iterator[None]:
    """Each signal raises ``Stopped`` where the command is."""

    def stop(number: int, _frame: FrameType | None) -> None:
        raise Stopped(number)

    with _handled_by(stop):
        yield


@contextmanager
def held() -> Iterator[Hold]:
    """Signals wait for ``Hold.check``."""
    hold = Hold()
    with _handled_by(hold.note):
        yield hold


@contextmanager
def _handled_by(handler: "signal._HANDLER") -> Iterator[None]:
    """Only the main thread may; a signal that is ignored stays so, as ``nohup`` wants it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.getsignal(each) for each in ENDING}
    mine = [each for each, old in before.items() if old is not signal.SIG_IGN and old is not None]
    for each in mine:
        signal.signal(each, handler)
    try:
        yield
    finally:
        for each in mine:
            signal.signal(each, before[each])
