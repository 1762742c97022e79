"""What a piece of work costs: seconds on the clock, CPU seconds of all who work for it, and Redis's time for a script.

Others on the machine stretch the seconds; CPU seconds they hardly touch. Those are read from /proc, so only on Linux.
"""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

_TICKS = os.sysconf("SC_CLK_TCK")
_READINGS = 200  # of a tree that changes while it is read


@dataclass(frozen=True, slots=True)
class Cost:
    """``cpu`` is None where nobody tells; ``script_ms`` is the mean of all scripts, 0 without any."""

    seconds: float
    cpu: float | None
    script_ms: float


class Meter:
    """Measures work of this process, of one backend of PostgreSQL and of one Redis."""

    def __init__(self, client: redis.Redis, backend: int) -> None:
        self._client = client
        self._pids = (os.getpid(), backend, client.info("server")["process_id"])

    def cost(self, work: Callable[[], Any]) -> Cost:
        """Do it once."""
        self._client.config_resetstat()
        cpu, begun = self._cpu(), time.perf_counter()
        work()
        seconds, spent = time.perf_counter() - begun, self._cpu()
        scripts = self._client.info("commandstats").get("cmdstat_evalsha", {"usec_per_call": 0.0})
        return Cost(seconds, None if cpu is None or spent is None else spent - cpu, scripts["usec_per_call"] / 1000)

    def _cpu(self) -> float | None:
        if not Path("/proc/self/stat").exists():
            return None
        return sum(_ticks(pid) for pid in self._pids) / _TICKS


def _ticks(pid: int, ended: bool = False) -> int:
    """Of the process and its threads, as user and in the kernel: fields 14 and 15, counted behind the name.

    ``ended``: also of those whom it started and saw end, fields 16 and 17. Nothing of who has just ended themselves.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(map(int, fields[11 : 15 if ended else 13]))


def tree_seconds(pids: Iterable[int]) -> float:
    """CPU seconds of processes and of all that they started, whether these still run or not; 0 where nobody tells.

    A child that ends while its tree is read would count twice, or not at all: once as itself, once in its parent. So a
    tree is read again until nobody has ended meanwhile. Raises ``RuntimeError`` if that never happens.
    """
    return sum(_tree_ticks(pid) for pid in pids) / _TICKS


def _tree_ticks(pid: int) -> int:
    for _ in range(_READINGS):
        before = {each: _ended_ticks(each) for each in _tree(pid)}
        ticks = sum(_ticks(each, ended=True) for each in before)
        if before == {each: _ended_ticks(each) for each in _tree(pid)} and None not in before.values():
            return ticks
    raise RuntimeError(f"Processes below {pid} started and ended in each of {_READINGS} readings of their CPU.")


def _ended_ticks(pid: int) -> int | None:
    """Of those whom the process started and saw end; None of one that is gone, whose time its parent may have."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "X" else sum(map(int, fields[13:15]))


def proportional_megabytes(pids: Iterable[int]) -> float:
    """Memory of processes and of all that they started, each shared page in equal parts (PSS); 0 where nobody tells."""
    return sum(_pss(each) for pid in pids for each in _tree(pid)) / 1024


def _pss(pid: int) -> int:
    """In KiB."""
    try:
        told = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in told.splitlines() if line.startswith("Pss:")), 0)


def parent_of(pid: int) -> int:
    """Who started a process; 0 where nobody tells."""
    stat = Path(f"/proc/{pid}/stat")
    return int(stat.read_text().rpartition(")")[2].split()[1]) if stat.exists() else 0


def children_of(pid: int) -> list[int]:
    """All that a process started, and they started, as far as it still runs."""
    return _tree(pid)[1:]


def _tree(pid: int) -> list[int]:
    """The process and its descendants."""
    found = [pid] if Path(f"/proc/{pid}/stat").exists() else []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            for child in children.read_text().split():
                found += _tree(int(child))
    return found
