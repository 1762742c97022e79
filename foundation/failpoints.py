"""Named points in the code at which a test can kill or freeze the process; otherwise each costs one comparison.

``FAIL_AT=name`` (or ``name:3`` for the third time) in the environment of a child process ends it at that point as
``kill -9`` would: Python flushes, closes and rolls back nothing. ``FAIL_AT=freeze:name`` stops it as ``kill -STOP``
would.
"""

import os
import signal

_, _freeze, _point = os.environ.get("FAIL_AT", "").rpartition("freeze:")
_NAME, _, _count = _point.partition(":")
_passes_left = int(_count or 1)


def failpoint(name: str) -> None:
    """Kill or freeze the process here if ``FAIL_AT`` says so."""
    global _passes_left  # noqa: PLW0603 - a process has one count
    if name == _NAME:
        _passes_left -= 1
        if _passes_left == 0:
            _kill_or_freeze()


def _kill_or_freeze() -> None:
    if not _freeze:
        os._exit(137)
    os.kill(os.getpid(), signal.SIGSTOP)
