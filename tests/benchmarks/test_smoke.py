"""Each benchmark runs, on little, and prints the figures that its record has: so that none of them rots."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.counting_docs import RESULTS
from benchmarks.servers import TABLES
from tests import template

RECOVERED = (
    *("settle_seconds", "settle_rate", "settle_cpu_seconds", "settle_script_ms", "settle_over_zadd_loop"),
    *("close_seconds", "close_seconds_per_million", "close_cpu_seconds", "close_script_ms", "close_over_sorted_copy"),
)
SNAPSHOT = ("rows", "seconds", "redis_ms", "longest_call_ms", "longest_call_of_all_ms")
STORAGES = ("hybrid", "redis")
UNRECORDED = {
    "recovery": {"players", "peak_memory_mb", *(f"{storage}_{name}" for storage in STORAGES for name in RECOVERED)},
    "competitions": {"players", *(f"{storage}_snapshot_{name}" for storage in STORAGES for name in SNAPSHOT)},
}
RECORDED = ("store", "http", "rates", "growth", "agora", "counting", "pages", "likes")
SMALL = ("--players", "1000", "--seconds", "0.05", "--passes", "1")


@pytest.mark.long
@pytest.mark.parametrize("name", [*RECORDED, *UNRECORDED])
def test_a_benchmark_prints_its_figures(name: str, tmp_path: Path) -> None:
    recorded = RESULTS / f"{name}.json"
    figures = UNRECORDED.get(name) or set(json.loads(recorded.read_text())["figures"])
    written = tmp_path / "figures.json"

    run = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *SMALL, "--json", str(written)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {TABLES: str(template.data_folder())},
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert {line.partition(": ")[0] for line in run.stdout.splitlines()} == figures
    told = json.loads(written.read_text())
    assert set(told["figures"]) == figures
    assert set(told["machine"]["packages"]) >= {"django", "redis", "psycopg"}
