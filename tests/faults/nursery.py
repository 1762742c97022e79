"""Where a world's child processes are born: one process that has imported everything and forks on request.

A fork costs milliseconds where a fresh interpreter costs seconds, and it is a real process: `kill -9` is
real too. One request a line on standard input, one answer a line on standard output.
"""

import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from config.local import leash
from foundation import failpoints

_stopping = False


def stopping() -> bool:
    """Whether somebody has asked this child to come to an end."""
    return _stopping


def _stop(*_: object) -> None:
    global _stopping  # noqa: PLW0603 (a signal handler has no other place to write to)
    _stopping = True


def _bear(request: dict[str, Any]) -> int:
    dies_with_us = leash._ask_kernel(signal.SIGKILL) if sys.platform == "linux" else None
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        if dies_with_us:
            dies_with_us()
        _live(request)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)


def _live(request: dict[str, Any]) -> None:
    signal.signal(signal.SIGTERM, _stop)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    if request["fail_at"]:
        os.environ["FAIL_AT"] = request["fail_at"]
        importlib.reload(failpoints)  # into the same namespace, so that whoever imported it sees it
    module, _, name = request["target"].partition(":")
    result = getattr(importlib.import_module(module), name)(**request["arguments"])
    draft = Path(request["result"] + ".new")
    draft.write_text(json.dumps(result))
    draft.rename(request["result"])


def _ended(pid: int) -> int | None:
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def main() -> None:
    import django

    django.setup()
    for module in ("chores", "visitors", "writers"):
        importlib.import_module(f"tests.faults.{module}")
    print(json.dumps(time.monotonic()), flush=True)  # noqa: T201 (the other side waits for it)
    for line in sys.stdin:
        request = json.loads(line)
        answer = _ended(request["poll"]) if "poll" in request else _bear(request)
        print(json.dumps(answer), flush=True)  # noqa: T201 (so does it here)
