"""Processes of a world that can be killed (`kill -9`), frozen, thawed, stopped, and asked what their function returned.

One process for each world has imported everything and forks on request: a fork costs milliseconds where a fresh
interpreter costs seconds, and it is a real process. One request a line on its standard input, one answer a line back.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.local import child_process
from foundation import failpoints

ROOT = Path(__file__).parents[2]
KILLED_HERE = 137  # the status of who died at a failpoint
OF_THE_PARENT = (
    "REDIS_URL", "CACHE_URL", "BROKER_URL", "DATABASE_URL", "DATA_DIR", "FAIL_AT", "STATIC_ROOT", "SQL_IDLE_SECONDS",
    "SQL_ALONE_SECONDS",
)  # fmt: skip  # as a list


@dataclass(frozen=True)
class Child:
    pid: int
    forker: "Forker"
    _result: Path

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self.wait()

    def send(self, number: int) -> None:
        """A signal; nothing if it has ended by itself."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def stop(self, seconds: float = 60) -> Any:
        """Ask a looping child to end; its result."""
        self.send(signal.SIGTERM)
        return self.result(seconds)

    def ended(self) -> int | None:
        """The exit status, negative for a signal; None while it lives."""
        return self.forker.status_of(self.pid)

    def wait(self, seconds: float = 60) -> int:
        """The exit status; a child that does not end in time is killed, and the test fails."""
        give_up = time.monotonic() + seconds
        while (status := self.ended()) is None:
            if time.monotonic() > give_up:
                self.send(signal.SIGKILL)
                raise AssertionError(f"child {self.pid} did not end within {seconds} s")
            time.sleep(0.005)
        return status

    def result(self, seconds: float = 60) -> Any:
        """What its function returned. Fails if it raised."""
        status = self.wait(seconds)
        assert status == 0, f"child ended with {status}: {self.forker.log_tail()}"
        return json.loads(self._result.read_text())


class Forker:
    """The process that forks children, as the test sees it; they go with it."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._forked = 0
        self._ended: dict[int, int] = {}
        self._log = folder / "children.log"
        plain = {name: value for name, value in os.environ.items() if name not in OF_THE_PARENT}
        with self._log.open("ab") as log:
            self._process = child_process.start(
                [sys.executable, "-c", "from tests.faults.processes import main; main()"], at_death=signal.SIGKILL,
                cwd=ROOT, env=plain | dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip  # as a table
        assert self._process.stdin
        assert self._process.stdout
        self._requests, self._answers = self._process.stdin, self._process.stdout

    def fork(self, target: Callable[..., Any], fail_at: str, arguments: Mapping[str, Any]) -> Child:
        """A child that calls a function of a module of ours, and dies at a failpoint if one is named."""
        self._forked += 1
        result = self._folder / f"result-{os.getpid()}-{self._process.pid}-{self._forked}"
        name = f"{target.__module__}:{target.__qualname__}"
        request = {"target": name, "arguments": arguments, "fail_at": fail_at, "result": str(result)}
        return Child(self._ask(request), self, result)

    def status_of(self, pid: int) -> int | None:
        if pid not in self._ended and (status := self._ask({"status of": pid})) is not None:
            self._ended[pid] = status
        return self._ended.get(pid)

    def log_tail(self) -> str:
        return self._log.read_text(errors="replace")[-3000:]

    def end(self) -> None:
        """Its children go with it (where the kernel sees to that; else they see it at their next step)."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._requests, self._answers):
            with suppress(OSError):
                pipe.close()

    def _ask(self, request: Mapping[str, Any]) -> Any:
        self._requests.write(json.dumps(request).encode() + b"\n")
        self._requests.flush()
        answer = self._answers.readline()
        assert answer, f"the process that forks is gone: {self.log_tail()}"
        return json.loads(answer)


# From here on: what runs in the process that forks, and in its children.

_stopping = False


def stopping() -> bool:
    """Whether somebody has asked this child to come to an end."""
    return _stopping


def _stop(*_: object) -> None:
    global _stopping  # noqa: PLW0603 - a signal handler has no other place to write to
    _stopping = True


def main() -> None:
    """Answer requests until nobody is there to make any."""
    import django

    django.setup()
    importlib.import_module("tests.faults.boards")
    for line in sys.stdin:
        request = json.loads(line)
        if "status of" in request:
            found, status = os.waitpid(request["status of"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if found else None
        else:
            answer = _fork(request)
        print(json.dumps(answer), flush=True)


def _fork(request: dict[str, Any]) -> int:
    dies_with_us = child_process.ask_kernel(signal.SIGKILL) if sys.platform == "linux" else None
    module, _, name = request["target"].partition(":")
    target = getattr(importlib.import_module(module), name)  # here, so that no child has to
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # who is asked to stop at once ends as later on
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        return pid
    status = 1
    try:
        if dies_with_us:
            dies_with_us()
        _live(request, target)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)


def _live(request: dict[str, Any], target: Callable[..., Any]) -> None:
    signal.signal(signal.SIGTERM, _stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    if request["fail_at"]:
        os.environ["FAIL_AT"] = request["fail_at"]
        importlib.reload(failpoints)  # into the same namespace, so that whoever imported it sees it
    result = target(**request["arguments"])
    draft = Path(request["result"] + ".new")
    draft.write_text(json.dumps(result))
    draft.rename(request["result"])
