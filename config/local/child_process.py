"""Children that do not outlive their parent, however it dies.

On Linux the kernel does it (PR_SET_PDEATHSIG). Elsewhere a shell waits on a pipe that only the parent
holds open. The trap: the kernel's signal is tied to the thread that forked, so start from the main one.
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
    """Start a program in a session of its own that gets `at_death` when this process is gone."""
    if sys.platform == "linux":
        options["preexec_fn"] = ask_kernel(at_death)
    child = subprocess.Popen(command, start_new_session=True, **options)
    if sys.platform != "linux":
        _watch(child.pid, at_death)
    return child


def die_with_parent() -> None:
    """End this process when the one that started it is gone; where the kernel cannot do it, nothing happens."""
    if sys.platform == "linux":
        ask_kernel(signal.SIGKILL, os.getppid())()


def ask_kernel(at_death: signal.Signals, parent: int | None = None) -> Callable[[], None]:
    """What a child of ``parent`` (this process) does first, so that it gets ``at_death`` when that is gone."""
    parent = parent or os.getpid()
    libc = ctypes.CDLL(None, use_errno=True)

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(at_death), 0, 0, 0)
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)

    return ask


def _watch(pid: int, at_death: signal.Signals) -> None:
    script = 'cat >/dev/null; kill -"$1" "$2" 2>/dev/null'
    command = ["/bin/sh", "-c", script, "leash", str(int(at_death)), str(pid)]
    # Its standard input is a pipe whose other end dies with us.
    _watchers.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))
