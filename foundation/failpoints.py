"""Named steps at which a test can kill the process; outside of tests a name costs one comparison.

``FAIL_AT=name`` (or ``name:3`` for the third time) in the environment of a child process ends it there,
as ``kill -9`` would: nothing is flushed, closed or rolled back by Python.
"""

import os

_AT, _, _nth = os.environ.get("FAIL_AT", "").partition(":")
_left = int(_nth or 1)


def failpoint(name: str) -> None:
    """Die here, if a test asked for it."""
    global _left  # noqa: PLW0603 (a count of the process)
    if name == _AT:
        _left -= 1
        if _left == 0:
            os._exit(137)
