"""How many web processes, and threads in each: CPU and p99 of single requests under granian, by both numbers.

    python -m benchmarks.processes [--players 100000] [--seconds 2] [--passes 3] [--json FILE]

A table for docs/operations/capacity.md: milliseconds of CPU of all who serve for a request, and the p99 in ms,
over 16 connections. Passes go through all numbers in turns, so other load touches each. It has no bounds.
"""

import re
import statistics
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.api import asks, cpu_ms
from benchmarks.harness import wrk
from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size
from benchmarks.harness.sites import OURS, served
from benchmarks.harness.wrk import Ask
from benchmarks.http import stores
from benchmarks.layers import without_id
from config.local.demo import GRANIAN

PROCESSES, THREADS = (1, 2, 4), (2, 4, 8, 16)
ASKED = {"hybrid": "http_single_hybrid_id", "redis": "http_single_redis_id", "own": "api_own", "top": "api_top"}


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    if not wrk.is_here():
        return {"players": size.players, "processes": Figure(None, why=wrk.MISSING)}
    with tempfile.TemporaryDirectory(prefix="sunwi-processes-", dir="/tmp") as folder:
        whole = asks(size.players, Path(folder))
        asked = {name: without_id(whole[figure]) for name, figure in ASKED.items()}
        done: dict[str, list[Sample]] = {}
        for _ in range(size.passes):
            for processes in PROCESSES:
                for threads in THREADS:
                    for name, sample in _pass(processes, threads, asked, size.seconds, Path(folder)).items():
                        done.setdefault(f"{name}_{processes}_processes_{threads}_threads", []).append(sample)
    figures: dict[str, Any] = {"players": size.players}
    for name, samples in done.items():
        figures[f"{name}_cpu_ms"] = round(cpu_ms(samples), 2)
        figures[f"{name}_p99_ms"] = round(statistics.median(each.beside["p99_ms"] for each in samples))
    return figures


def _pass(processes: int, threads: int, asked: dict[str, Ask], seconds: float, folder: Path) -> dict[str, Sample]:
    options = re.sub(r"--workers \d+", f"--workers {processes}", GRANIAN)
    options = re.sub(r"--blocking-threads \d+", f"--blocking-threads {threads}", options)
    with served(OURS, "/healthz", folder / "log", stores(), options) as site:
        for ask in asked.values():
            wrk.load(site.port, ask, 1, site.pids)  # every process and thread has its connections
        return {name: wrk.load(site.port, ask, seconds, site.pids) for name, ask in asked.items()}


if __name__ == "__main__":
    run_sized(__doc__, measure)
