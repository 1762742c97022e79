"""Each benchmark runs, on little: so that none of them rots. What it measures is not looked at."""

import subprocess
import sys

import pytest

RECOVERED = (
    *("settle_seconds", "settle_rate", "settle_cpu_seconds", "settle_script_ms", "settle_over_zadd_loop"),
    *("close_seconds", "close_seconds_per_million", "close_cpu_seconds", "close_script_ms", "close_over_sorted_copy"),
)
SNAPSHOT = ("rows", "seconds", "redis_ms", "longest_call_ms", "longest_call_of_all_ms")
FIGURES = {
    "benchmarks.recovery": {
        *("players", "peak_memory_mb"),
        *(f"{storage}_{name}" for storage in ("hybrid", "redis") for name in RECOVERED),
    },
    "benchmarks.competitions": {
        "players",
        *(f"{storage}_snapshot_{name}" for storage in ("hybrid", "redis") for name in SNAPSHOT),
    },
}


@pytest.mark.parametrize("module", FIGURES)
def test_a_benchmark_prints_its_figures(module: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", module, "--players", "2000"], capture_output=True, text=True, timeout=120, check=False
    )

    assert run.returncode == 0, run.stderr
    assert {line.partition(": ")[0] for line in run.stdout.splitlines()} == FIGURES[module]
