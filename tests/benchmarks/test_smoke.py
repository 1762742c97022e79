"""Each benchmark runs, on little: so that none of them rots. What it measures is not looked at."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

RECOVERED = (
    *("settle_seconds", "settle_rate", "settle_cpu_seconds", "settle_script_ms", "settle_over_zadd_loop"),
    *("close_seconds", "close_seconds_per_million", "close_cpu_seconds", "close_script_ms", "close_over_sorted_copy"),
)
SNAPSHOT = ("rows", "seconds", "redis_ms", "longest_call_ms", "longest_call_of_all_ms")
WAYS = ("one_row", "shards_10", "shards_100", "shards_1000", "append", "redis", "hybrid")
FIGURES = {
    "recovery": {
        "peak_memory_mb",
        *(f"{storage}_{name}" for storage in ("hybrid", "redis") for name in RECOVERED),
    },
    "competitions": {f"{storage}_snapshot_{name}" for storage in ("hybrid", "redis") for name in SNAPSHOT},
    "store": {
        *("submit_store_redis", "submit_store_redis_with_ids", "submit_store_redis_through_service"),
        *("submit_store_redis_per_second", "zadd_loop_per_second", "submit_store_hybrid"),
        *("submit_store_hybrid_per_second", "read_one_call", "rank_vs_sql", "memory_overhead", "memory_per_player"),
        "memory_per_id",
    },
    "http": {
        *("http_batch_redis", "http_batch_redis_per_second", "http_batch_redis_load_share"),
        *("http_single_redis", "http_single_redis_per_second", "http_single_redis_p99_ms"),
        *("http_single_redis_load_share", "http_empty_per_second"),
        *("http_single_hybrid", "http_single_hybrid_per_second", "http_single_hybrid_p99_ms"),
        *("page_public", "page_public_per_second", "page_empty_per_second", "page_load_share"),
        *("page_me", "page_me_per_second", "page_me_first", "not_modified", "not_modified_me"),
        *("viewers", "viewers_1000_cpu", "viewers_1000_per_second", "viewers_1000_p99_ms"),
        *(f"read_stall{way}{said}" for way in ("", "_http") for said in ("", "_p99_ms", "_of_busy_cores")),
    },
    "rates": {f"{name}_rate{unit}" for name in ("mirror", "rebuild", "close") for unit in ("", "_per_second")},
    "growth": {
        *("growth", "growth_rank", "growth_around", "growth_submit", "players_large"),
        *("rank_us_large", "around_us_large", "submit_us_large"),
    },
    "agora": {f"vs_leaderboard_py_{name}" for name in ("page", "ties", "rank")},
    "counting": {
        *("hyperloglog_bytes", "visitors_set_bytes", "hyperloglog_error_percent"),
        *("week_visitors", "week_error_percent", "week_merged_is_week_counted"),
        *(f"{name}_{share}_bytes" for name in ("bitmap", "attendance_set") for share in (30, 100)),
        *("bitmap_30_exact", "bitmap_100_exact", "hits_bytes", "ranking_bytes", "window_bytes"),
        *("liked_by_likes", "liked_by_bytes_per_like"),
    },
    "pages": {
        f"{page}_{name}"
        for page in ("page", "page_me", "page_competition")
        for name in ("lcp_seconds", "layout_shift", "requests", "kilobytes")
    },
    "likes": {
        "writers",
        *(f"{way}_{name}" for way in WAYS for name in ("likes_per_second", "read_ms", "read_while_writing_ms")),
        *(f"{way}_over_one_row" for way in WAYS[1:]),
    },
}
SMALL = ("--players", "1000", "--seconds", "0.05", "--passes", "1")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_a_benchmark_prints_its_figures(name: str, tmp_path: Path) -> None:
    written = tmp_path / "figures.json"

    run = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *SMALL, "--json", str(written)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert {line.partition(": ")[0] for line in run.stdout.splitlines()} == FIGURES[name] | {"players"}
    told = json.loads(written.read_text())
    assert set(told["figures"]) == FIGURES[name] | {"players"}
    assert set(told["machine"]["packages"]) >= {"django", "redis", "psycopg"}
