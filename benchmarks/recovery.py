"""Settling and closing large boards on PostgreSQL, beside what the servers can do at best.

    python -m benchmarks.recovery [--players 1000000] [--json FILE]

Starts a Valkey (AOF, everysec) and a PostgreSQL (fsync on) of its own. A weekly hybrid board, then a redis board,
is filled with players in random order, loses Redis's memory, is settled and closed. Prints ``name: value`` lines.
"""

import resource
from datetime import timedelta
from typing import Any

import redis

from benchmarks.harness.command import run
from benchmarks.harness.meter import Cost, Meter


def measure(players: int) -> dict[str, Any]:
    """All figures of one run, of a hybrid board and then of a redis board; rates are players a second."""
    figures: dict[str, Any] = {"players": players}
    for storage in ("hybrid", "redis"):
        measured = _recover(players, storage)
        figures |= {f"{storage}_{name}": value for name, value in measured.items()}
    return figures | {"peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


def _recover(players: int, storage: str) -> dict[str, Any]:
    from django.conf import settings
    from django.db import connection

    from benchmarks.harness.boards import filled_board, forget_redis
    from benchmarks.limits import recovery as limits
    from foundation import clock
    from leaderboards.services.periods.close import close_period
    from leaderboards.services.sync.resync_periods import resync_due

    period = filled_board(players, storage)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    url, dsn = settings.CACHES["boards"]["LOCATION"], _dsn(connection.settings_dict)
    zadd = limits.zadd_loop(settings.CACHES["default"]["LOCATION"], limits.ranked(dsn, period.pk))
    forget_redis()
    meter = Meter(redis.Redis.from_url(url), backend)
    settle = meter.cost(lambda: resync_due(clock.now()))
    period.refresh_from_db()
    if period.stale_since is not None:
        raise SystemExit("settling did not finish")
    copy = limits.sorted_copy(dsn, period.pk)
    after = (period.ends_at or clock.now()) + timedelta(hours=1)
    close = meter.cost(lambda: close_period(period, after))
    if period.state != "final":
        raise SystemExit("closing did not finish")
    return {
        "settle_rate": round(players / settle.seconds),
        **_shown("settle", settle),
        "settle_over_zadd_loop": round(zadd / settle.seconds, 3),
        "close_seconds_per_million": round(close.seconds * 1_000_000 / players, 2),
        **_shown("close", close),
        "close_over_sorted_copy": round(copy / close.seconds, 3),
    }


def _shown(name: str, cost: Cost) -> dict[str, Any]:
    return {
        f"{name}_seconds": round(cost.seconds, 2),
        f"{name}_cpu_seconds": None if cost.cpu is None else round(cost.cpu, 2),
        f"{name}_script_ms": round(cost.script_ms, 2),
    }


def _dsn(settings: dict[str, Any]) -> str:
    return f"host={settings['HOST']} user={settings['USER']} dbname={settings['NAME']}"


if __name__ == "__main__":
    run(__doc__, measure)
