"""Capacity on paper: its arithmetic by hand, in round figures."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.capacity.figures import Figure, default_figures
from leaderboards.core.capacity.load import BOUNDS, STORAGES, Load
from leaderboards.core.capacity.plan import plan
from leaderboards.core.capacity.text import plan_text

ROUND = {
    "redis_bytes_per_standing": 100, "redis_bytes_per_id": 20, "redis_headroom": 2,
    "score_single_hybrid_web_ms": 1, "score_single_hybrid_redis_ms": 0.1, "score_single_hybrid_sql_ms": 0.5,
    "score_single_redis_web_ms": 0.5, "score_single_redis_redis_ms": 0.1, "score_single_redis_sql_ms": 0,
    "score_batch_hybrid_web_ms": 0.1, "score_batch_hybrid_redis_ms": 0.01, "score_batch_hybrid_sql_ms": 0.05,
    "score_batch_redis_web_ms": 0.05, "score_batch_redis_redis_ms": 0.01, "score_batch_redis_sql_ms": 0,
    "read_web_ms": 1, "read_redis_ms": 0.1, "read_sql_ms": 0.2, "web_process_bytes": 1e8,
    "sql_bytes_per_player": 100, "sql_bytes_per_standing": 200, "sql_bytes_per_submission": 300,
    "sql_bytes_per_final_standing": 150, "sql_cores_of_one_primary": 10, "mirror_standings_a_second": 10_000,
    "rebuild_standings_a_second": 100_000, "close_standings_a_second": 50_000,
    "redis_bytes_per_compact_standing": 25, "compact_score_times": 6, "compact_read_times": 4, "partition_rounds": 2,
    "request_bytes": 500, "entry_bytes": 100, "answer_bytes": 400, "result_bytes": 100, "row_bytes": 300,
}  # fmt: skip  # as a list
# 8.64 million players, 10 updates: 1,000 a second; with 5 reads 500 of them.
LOAD = Load(8_640_000, updates_per_day=10, reads_per_day=5, peak=2, period_days=10, retention_days=25)


def rounded(**changed: float) -> dict[str, Figure]:
    figures = default_figures()
    return figures | {
        name: Figure(value, figures[name].unit, True, "by hand") for name, value in {**ROUND, **changed}.items()
    }


def near(found: Mapping[str, float], **expected: float) -> None:
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_rates_are_players_times_updates_and_the_peak_is_so_many_times_the_mean() -> None:
    found = plan(LOAD, rounded())

    near(
        found.rates,
        updates_a_day=86_400_000,
        updates_a_second=1000,
        updates_a_second_at_peak=2000,
        requests_of_scores_a_second_at_peak=2000,
        reads_a_second_at_peak=1000,
    )
    batched = plan(Load(8_640_000, updates_per_day=10, peak=2, batch=100), rounded())
    near(batched.rates, updates_a_second_at_peak=2000, requests_of_scores_a_second_at_peak=20)


def test_redis_holds_the_running_period_and_final_ones_until_their_retention_is_over() -> None:
    found = plan(LOAD, rounded())

    # 8.64 M × 100 B × (1 + 25 days / 10 days, rounded up) = 3.456 GB; twice that with headroom, and a replica of it.
    near(found.redis, standings_gb=3.456, ids_gb=0, memory_gb=6.912, memory_with_replicas_gb=13.824)
    # 2,000 × 0.1 ms + 1,000 × 0.1 ms = 0.3 of a core, of which half may be used.
    near(found.redis, servers_by_memory=1, servers_by_cpu=1, servers=1, servers_with_replicas=2)
    boards = plan(Load(8_640_000, boards=3, period_days=10, retention_days=0, replicas=2), rounded())
    near(boards.redis, standings_gb=2.592, memory_with_replicas_gb=2.592 * 2 * 3)


def test_ids_of_redis_boards_are_kept_two_days() -> None:
    found = plan(Load(8_640_000, updates_per_day=10, period_days=10, retention_days=0, storage="redis"), rounded())

    near(found.redis, standings_gb=0.864, ids_gb=2 * 86_400_000 * 20 / 1e9)


def test_the_scarcer_of_memory_and_cpu_decides_how_many_servers_there_are() -> None:
    by_memory = plan(Load(500_000_000, updates_per_day=0, reads_per_day=0, retention_days=0), rounded())
    by_cpu = plan(Load(86_400_000, updates_per_day=100, reads_per_day=0, peak=1, node_memory_gb=1e5), rounded())

    near(by_memory.redis, memory_gb=100, servers_by_memory=2, servers_by_cpu=1, servers=2)
    near(by_cpu.redis, servers_by_memory=1, servers_by_cpu=20, servers=20)  # 100,000 × 0.1 ms, half used


def test_a_compact_board_needs_less_memory_and_more_cpu() -> None:
    asked: dict[str, Any] = {"updates_per_day": 10, "reads_per_day": 5, "peak": 2, "retention_days": 0}
    found = plan(Load(86_400_000, **asked, encoding="compact"), rounded())

    near(found.redis, standings_gb=2.16)
    near(found.redis, servers_by_cpu=32)  # 20,000 × 0.6 ms + 10,000 × 0.4 ms = 16, half used


def test_a_rank_of_a_divided_board_asks_every_partition_twice() -> None:
    asked: dict[str, Any] = {"updates_per_day": 10, "reads_per_day": 5, "peak": 2}
    whole, divided = (plan(Load(86_400_000, **asked, partitions=each), rounded()) for each in (1, 4))

    near(whole.redis, servers_by_cpu=6)  # 20,000 × 0.1 ms + 10,000 × 0.1 ms = 3, half used
    near(divided.redis, servers_by_cpu=20)  # 20,000 × 0.1 ms + 10,000 × 0.8 ms = 10, half used
    assert "More Redis servers than the 4 that 1 boards in 4 partitions" in " ".join(divided.not_supported)


def test_cores_are_what_the_peak_takes_over_what_may_be_used() -> None:
    found = plan(LOAD, rounded())

    near(found.web, cores=6, memory_gb=0.6)  # 2,000 × 1 ms + 1,000 × 1 ms
    near(found.worker, cores=1)
    near(found.sql, cores=3)  # 2,000 × 0.5 ms + 1,000 × 0.2 ms = 1.2
    batched = plan(Load(8_640_000, updates_per_day=10, reads_per_day=5, peak=2, batch=100), rounded())
    near(batched.web, cores=3)  # 2,000 × 0.1 ms + 1,000 × 1 ms = 1.2
    redis = plan(Load(86_400_000, updates_per_day=10, reads_per_day=0, peak=2, storage="redis"), rounded())
    near(redis.worker, cores=4)  # 20,000 a second, 10,000 by one, half used


def test_sql_keeps_every_period_and_submissions_for_so_long() -> None:
    found = plan(LOAD, rounded())

    periods = 365 / 10
    near(
        found.sql,
        players_gb=0.864,
        standings_after_a_year_gb=8.64e6 * 200 * (periods + 1) / 1e9,
        final_standings_after_a_year_gb=8.64e6 * 150 * periods / 1e9,
        submissions_gb=86.4e6 * 100 * 300 / 1e9,  # of 10 days, and 90 days after them
    )
    parts = [value for name, value in found.sql.items() if name not in {"cores", "volume_after_a_year_gb"}]
    assert found.sql["volume_after_a_year_gb"] == pytest.approx(sum(parts))
    redis = plan(Load(8_640_000, storage="redis"), rounded())
    assert redis.sql["submissions_gb"] == 0
    long = plan(Load(8_640_000, updates_per_day=10, keep_submissions_days=5000), rounded())
    near(long.sql, submissions_gb=86.4e6 * 365 * 300 / 1e9)


def test_network_is_what_requests_and_answers_weigh() -> None:
    found = plan(LOAD, rounded())

    received, sent = 86.4e6 * 600 + 43.2e6 * 500, 86.4e6 * 500 + 43.2e6 * 700
    near(
        found.network,
        in_mbit_a_second_at_peak=received * 8 * 2 / 86_400 / 1e6,
        out_mbit_a_second_at_peak=sent * 8 * 2 / 86_400 / 1e6,
        egress_gb_a_month=sent * 30 / 1e9,
    )


def test_repair_takes_a_period_over_its_rate() -> None:
    near(plan(LOAD, rounded()).repair, rebuild_hours=8.64e6 / 100_000 / 3600, close_hours=8.64e6 / 50_000 / 3600)


def test_money_is_told_only_where_a_reader_wrote_a_price() -> None:
    without = plan(LOAD, rounded())
    priced = plan(LOAD, rounded(price_of_cores=10, price_of_sql_disk_gb=0.5))

    assert without.month == {}
    cores = without.redis["servers_with_replicas"] + 6 + 1 + 3
    near(without.drivers, cores=cores, redis_memory_gb=13.824, sql_disk_gb=2 * without.sql["volume_after_a_year_gb"])
    near(priced.month, cores=10 * cores, sql_disk_gb=without.sql["volume_after_a_year_gb"])
    assert set(priced.month) == {"cores", "sql_disk_gb"}


def test_what_the_product_does_not_do_is_said() -> None:
    small, large = plan(Load(100_000), rounded()), plan(Load(10**9, node_memory_gb=64), rounded())
    burst = plan(Load(86_400_000, updates_per_day=20, peak=2, reads_per_day=0, storage="redis"), rounded())

    assert small.not_supported == []
    told = " ".join(large.not_supported)
    assert "Redis servers for boards" in told
    assert "give the board more `partitions`" in told
    assert "one primary" in told
    assert any("one worker mirrors" in sentence for sentence in burst.not_supported)


@given(
    st.builds(
        Load,
        players=st.integers(1, 10**11),
        updates_per_day=st.floats(0, 10_000),
        reads_per_day=st.floats(0, 100_000),
        boards=st.integers(1, 10_000),
        period_days=st.floats(0.01, 3650),
        batch=st.integers(1, 1000),
        storage=st.sampled_from(STORAGES),
    )
)
def test_every_plan_is_of_numbers_that_grow_with_the_players(load: Load) -> None:
    found = plan(load, default_figures())
    more = (
        plan(
            Load(**{**{name: getattr(load, name) for name in BOUNDS}, "players": min(10**11, 2 * load.players)}),
            default_figures(),
        )
        if load.storage == "hybrid"
        else found
    )

    for group in ("rates", "redis", "web", "worker", "sql", "network", "repair", "drivers"):
        for name, value in getattr(found, group).items():
            assert 0 <= value < float("inf"), name
            assert getattr(more, group)[name] >= value, name
    assert all(line == line.rstrip() for line in plan_text(load, found, default_figures()))
