"""Child processes of a world, as the test sees them; what bears them is in tests/faults/nursery.py."""

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
from typing import IO, Any

from config.local import leash

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Child:
    """A process born in the nursery."""

    pid: int
    _nursery: "Nursery"
    _result: Path

    def kill(self) -> None:
        """`kill -9`, and wait until it is gone; nothing if it has ended by itself."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def stop(self, seconds: float = 60) -> Any:
        """Ask a looping child to end; its result."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        return self.result(seconds)

    def ended(self) -> int | None:
        """The exit status, negative for a signal; None while it lives."""
        return self._nursery.poll(self.pid)

    def wait(self, seconds: float = 60) -> int:
        """The exit status; a child that does not end in time is killed, and the test fails."""
        give_up = time.monotonic() + seconds
        while (status := self.ended()) is None:
            if time.monotonic() > give_up:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"child {self.pid} did not end within {seconds} s")
            time.sleep(0.005)
        return status

    def result(self, seconds: float = 60) -> Any:
        """What its function returned. Fails if it raised."""
        status = self.wait(seconds)
        assert status == 0, f"child ended with {status}: {self._nursery.log_tail()}"
        return json.loads(self._result.read_text())

    def last_words(self) -> str:
        """The end of what it and its like have logged."""
        return self._nursery.log_tail()


class Nursery:
    """The process that bears a world's children; see tests/faults/nursery.py."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._born = 0
        self._ended: dict[int, int] = {}
        self._log = (folder / "children.log").open("ab")
        self._process = leash.start(
            [sys.executable, "-c", "from tests.faults.nursery import main; main()"], at_death=signal.SIGKILL, cwd=ROOT,
            env={**_plain_environment(), **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._log,
        )  # fmt: skip  # as a table
        self._read()  # it is ready

    def bear(self, target: Callable[..., Any], fail_at: str, arguments: Mapping[str, Any]) -> Child:
        self._born += 1
        result = self._folder / f"result-{os.getpid()}-{self._process.pid}-{self._born}"
        name = f"{target.__module__}:{target.__qualname__}"
        request = {"target": name, "arguments": arguments, "fail_at": fail_at, "result": str(result)}
        return Child(self._ask(request), self, result)

    def poll(self, pid: int) -> int | None:
        if pid not in self._ended and (status := self._ask({"poll": pid})) is not None:
            self._ended[pid] = status
        return self._ended.get(pid)

    def log_tail(self) -> str:
        return (self._folder / "children.log").read_text(errors="replace")[-3000:]

    def end(self) -> None:
        """Its children go with it (where the kernel sees to that; else they see it at their next step)."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def _ask(self, request: Mapping[str, Any]) -> Any:
        stdin = _pipe(self._process.stdin)
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()
        return self._read()

    def _read(self) -> Any:
        line = _pipe(self._process.stdout).readline()
        assert line, f"the nursery is gone: {self.log_tail()}"
        return json.loads(line)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _plain_environment() -> dict[str, str]:
    """Ours without what names servers of other tests."""
    named = ("REDIS_URL", "CACHE_URL", "BROKER_URL", "DATABASE_URL", "DATA_DIR", "FAIL_AT", "STATIC_ROOT")
    return {name: value for name, value in os.environ.items() if name not in named}
