"""Start child processes that do not outlive their parent, however it dies.

On Linux the kernel signals the child (PR_SET_PDEATHSIG). Elsewhere a shell waits on a pipe that only the parent holds
open. The trap: the kernel's signal is tied to the thread that forked, so start children from the main thread.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

PR_SET_PDEATHSIG = 1
_watchers: list[subprocess.Popen[bytes]] = []


def start(command: list[str], *, at_death: signal.Signals = signal.SIGTERM, **options: Any) -> subprocess.Popen[bytes]:
    """Start a program in its own session; it gets the signal `at_death` when this process ends."""
    if sys.platform == "linux":
        options["preexec_fn"] = ask_kernel(at_death)
    child = subprocess.Popen(command, start_new_session=True, **options)
    if sys.platform != "linux":
        _watch(child.pid, at_death)
    return child


def stop(child: subprocess.Popen[bytes], seconds: float = 20) -> None:
    """Ask the child to end, and kill it if it has not ended after that many seconds."""
    child.terminate()
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def die_with_parent() -> None:
    """Kill this process when its parent ends. Works on Linux only; elsewhere it does nothing."""
    if sys.platform == "linux":
        ask_kernel(signal.SIGKILL, os.getppid())()


def ask_kernel(at_death: signal.Signals, parent: int | None = None) -> Callable[[], None]:
    """Return a ``preexec_fn``: the child gets ``at_death`` when ``parent`` (by default this process) ends."""
    parent = parent or os.getpid()
    libc = ctypes.CDLL(None, use_errno=True)

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(at_death), 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the call
            os._exit(1)

    return ask


def _watch(pid: int, at_death: signal.Signals) -> None:
    script = 'cat >/dev/null; kill -"$1" "$2" 2>/dev/null'
    command = ["/bin/sh", "-c", script, "leash", str(int(at_death)), str(pid)]
    # Its standard input is a pipe that closes when this process ends.
    _watchers.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))
