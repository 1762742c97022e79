"""A WSGI site under granian, as the product is served, and load on it from a process of its own.

Each sample says what the generator took of the CPU that all spent: on one machine it takes that from the server.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.figures import Sample
from benchmarks.harness.load import HOST, Order
from benchmarks.harness.meter import tree_seconds
from config.local import child_process
from config.local.demo import GRANIAN

ROOT = Path(__file__).resolve().parents[2]
OURS = "config.wsgi:application"


@dataclass(frozen=True, slots=True)
class Site:
    """One server that answers, and the processes whose CPU its requests cost: its own first, then those of stores."""

    port: int
    pids: tuple[int, ...]

    def load(self, path: str, seconds: float, **options: Any) -> Sample:
        """Ask it for so long; ``options`` are those of ``Order``. One wrong answer stops everything."""
        order = Order(self.port, seconds, path, **options)
        before = tree_seconds(self.pids)
        told = ask(order)
        served = tree_seconds(self.pids) - before
        if told["bad"] or not told["count"]:
            raise SystemExit(f"{path}: {told['bad']} wrong answers of {told['count']}")
        return sample_of(told, served)

    def watched(self, order: Order, after: float) -> Sample:
        """The CPU seconds that all who serve spend on an order, from so many seconds on until its end."""
        child = begin(order)
        time.sleep(after)
        before, at = tree_seconds(self.pids), time.monotonic()
        told = finish(child)
        seconds, spent = time.monotonic() - at, tree_seconds(self.pids) - before
        if told["bad"]:
            raise SystemExit(f"{order.path}: {told['bad']} wrong answers of {told['count']}")
        per_second = round(told["count"] / told["seconds"], 1)
        beside = {name: told[name] for name in ("p50_ms", "p99_ms", "cpu_seconds")}
        return Sample(spent, seconds, {"unit": "CPU seconds", "answered_per_second": per_second} | beside)


def ask(order: Order) -> dict[str, Any]:
    """What the generator says of an order."""
    return finish(begin(order))


def begin(order: Order) -> "subprocess.Popen[str]":
    """Have the generator begin."""
    command = [sys.executable, "-m", "benchmarks.harness.load", json.dumps(asdict(order))]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def finish(child: "subprocess.Popen[str]") -> dict[str, Any]:
    """Wait for it; what it says."""
    told, _ = child.communicate()
    if child.returncode:
        raise SystemExit("the load generator failed")
    return dict(json.loads(told))


def sample_of(told: dict[str, Any], served: float) -> Sample:
    """What it says, with the CPU seconds of those who served it."""
    load, every = told["cpu_seconds"], told["cpu_seconds"] + served
    beside = {name: told[name] for name in ("p50_ms", "p99_ms", "cpu_seconds")}
    beside |= {"served_cpu_seconds": round(served, 3), "load_share": round(load / every, 3) if every else None}
    return Sample(told["count"], told["seconds"], beside)


@contextmanager
def served(target: str, health: str, log: Path, stores: tuple[int, ...] = (), granian: str = GRANIAN) -> Iterator[Site]:
    """Serve ``target`` (a module and its application) until the end of the block, with these options of granian."""
    port = _free_port()
    options = [target if part == OURS else part for part in granian.split()]
    command = [sys.executable, "-m", "granian", "--host", HOST, "--port", str(port), *options]
    with log.open("ab") as written:
        quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": written, "stderr": written}
        child = child_process.start(command, cwd=ROOT, env=os.environ | {"HTTPS": "off"}, **quiet)
    try:
        _wait(child, f"http://{HOST}:{port}{health}", log)
        yield Site(port, (child.pid, *stores))
    finally:
        child.terminate()
        child.wait(20)


def _wait(child: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while not _answers(address):
        if child.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"a site did not start: {log.read_text()}")
        time.sleep(0.1)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
