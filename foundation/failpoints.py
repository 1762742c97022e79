"""Named steps at which a test can kill the process; outside of tests a name costs one comparison.

``FAIL_AT=name`` (or ``name:3`` for the third time) in the environment of a child process ends it there,
as ``kill -9`` would: nothing is flushed, closed or rolled back by Python. ``FAIL_AT=freeze:name`` stops it as
``kill -STOP`` would.
"""

import os
import signal

_, _freezes, _where = os.environ.get("FAIL_AT", "").rpartition("freeze:")
_AT, _, _nth = _where.partition(":")
_left = int(_nth or 1)


def failpoint(name: str) -> None:
    """Die or freeze here, if a test asked for it."""
    global _left  # noqa: PLW0603 (a count of the process)
    if name == _AT:
        _left -= 1
        if _left == 0:
            _end()


def _end() -> None:
    if not _freezes:
        os._exit(137)
    os.kill(os.getpid(), signal.SIGSTOP)
