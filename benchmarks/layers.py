"""What one request costs, and where: each step of it alone, then the API's reads and single scores.

    python -m benchmarks.layers [--players 100000] [--seconds 1] [--passes 5] [--json FILE]

CPU of all who serve, in milliseconds a request, by process; from wrk over 16 connections. ``..._over_view`` is a step
without the way to its view. The trap: with several connections at once, one wake-up serves several requests, so a step
costs less than in a process that does nothing else.
"""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.api import asks, cpu_ms, ranked
from benchmarks.harness import wrk
from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, rounded
from benchmarks.harness.sites import Site, served
from benchmarks.harness.wrk import Ask
from benchmarks.http import stores

SITE = "benchmarks.harness.layered_site:application"
BARE, PREFIX = "/bare", "/api/v1/layers/"  # below ``PREFIX`` a request goes the API's way
TABLE = "benchmark_layers"
ANSWER = '{"done":1}'
PROCESSES = ("web", "redis", "postgresql")  # as in ``Site.pids``


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    if not wrk.is_here():
        return {"players": size.players, "layer_bare": Figure(None, why=wrk.MISSING)}
    make_table()
    with tempfile.TemporaryDirectory(prefix="sunwi-layers-", dir="/tmp") as folder:
        asked = _asked(size.players, Path(folder))
        with served(SITE, "/healthz", Path(folder) / "log", stores()) as site:
            return {"players": size.players, **_figures(size, site, asked)}


def make_table() -> None:
    """Make the table of the commits, before the site is served."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {TABLE} (id bigserial PRIMARY KEY, at timestamptz NOT NULL)")


def _asked(players: int, folder: Path) -> dict[str, Ask]:
    """What to ask: the steps, in the order of a request, then whole operations. One key is good for all."""
    whole = asks(players, folder)
    single = whole["http_single_redis_id"]
    period, names, wanted = _redis_period(), single.players, ANSWER

    def step(path: str, **options: Any) -> Ask:
        return Ask(path, wanted, names, headers=single.headers, **options)

    hybrid = whole["http_single_hybrid_id"]
    return {
        "layer_bare": step(BARE),
        "layer_view": step(f"{PREFIX}view"),
        "layer_key": step(f"{PREFIX}key"),
        "layer_trip": step(f"{PREFIX}trip/{period}/{{player}}"),
        "layer_commit": step(f"{PREFIX}commit"),
        "operation_top": whole["api_top"],
        "operation_own": whole["api_own"],
        "operation_around": whole["api_around"],
        "operation_list_and_own": whole["api_list_and_own"],
        "operation_single_redis": without_id(single),
        "operation_single_redis_id": single,
        "operation_single_hybrid": without_id(hybrid),
        "operation_single_hybrid_id": hybrid,
        "operation_single_rank": ranked(without_id(hybrid)),
    }


def without_id(ask: Ask) -> Ask:
    """Return the same request whose entries have no ids."""
    return replace(ask, entry=ask.entry.replace(',"id":"{id}"', ""))


def _redis_period() -> int:
    from leaderboards.models import Period, Storage

    return Period.objects.filter(board__storage=Storage.REDIS).order_by("starts_at").values_list("pk", flat=True)[0]


def _figures(size: Size, site: Site, asked: dict[str, Ask]) -> dict[str, Any]:
    for ask in asked.values():
        wrk.load(site.port, ask, 1, site.pids)  # every process and thread has its connections
    done: dict[str, list[Sample]] = {name: [] for name in asked}
    for _ in range(size.passes):
        for name, ask in asked.items():
            done[name].append(wrk.load(site.port, ask, size.seconds, site.pids))
    figures: dict[str, Any] = {}
    for name, samples in done.items():
        figures[f"{name}_cpu_ms"] = Figure(cpu_ms(samples), ours=samples)
        figures |= {f"{name}_{process}_ms": _of(nth, samples) for nth, process in enumerate(PROCESSES)}
    ground = cpu_ms(done["layer_view"])
    over_view = {name: rounded(cpu_ms(done[name]) - ground) for name in ("layer_key", "layer_trip", "layer_commit")}
    return figures | {f"{name}_over_view_ms": value for name, value in over_view.items()}


def _of(nth: int, samples: list[Sample]) -> float:
    """CPU of one process and its children, in milliseconds a request."""
    spent = sum(each.beside["served_cpu_of_each"][nth] for each in samples)
    return rounded(1000 * spent / sum(each.count for each in samples))


if __name__ == "__main__":
    run_sized(__doc__, measure)
