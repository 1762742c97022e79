"""Settling and closing a large hybrid board on PostgreSQL, beside what the servers can do at best.

    python -m benchmarks.recovery [--players 1000000] [--json FILE]

Starts a Valkey (AOF, everysec) and a PostgreSQL (fsync on) of its own, fills one weekly board with players
in random order, loses Redis's memory, and prints each figure as one line ``name: value``.
"""

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.servers import servers


def main() -> None:
    """Run, print, and write the JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sunwi-bench-", dir="/tmp") as folder, servers(Path(folder)):
        figures = measure(options.players)
    for name, value in figures.items():
        print(f"{name}: {value}")
    if options.json:
        machine = {"cores": os.cpu_count(), "python": platform.python_version(), "machine": platform.machine()}
        options.json.write_text(json.dumps({"machine": machine, "figures": figures}, indent=2))


def measure(players: int) -> dict[str, Any]:
    """All figures of one run; rates are players a second."""
    from django.conf import settings
    from django.db import connection

    from benchmarks.boards import filled_board, forget_redis
    from benchmarks.limits import recovery as limits
    from leaderboards.models import Standing
    from leaderboards.services.close import close_period
    from leaderboards.services.settle import settle_due

    period = filled_board(players)
    rows = list(Standing.objects.filter(period=period).values_list("member", "score").order_by("player_id"))
    forget_redis()
    from foundation import clock

    settle = _seconds(lambda: settle_due(clock.now()))
    zadd = limits.zadd_loop(settings.CACHES["default"]["LOCATION"], [(m, s or 0.0) for m, s in rows])
    period.refresh_from_db()
    if period.stale_since is not None:
        raise SystemExit("settling did not finish")
    copy = limits.sorted_copy(_dsn(connection.settings_dict), period.pk)
    after = (period.ends_at or clock.now()) + timedelta(hours=1)
    close = _seconds(lambda: close_period(period, after))
    return {
        "players": players,
        "settle_seconds": round(settle, 2),
        "settle_rate": round(players / settle),
        "settle_over_zadd_loop": round(zadd / settle, 3),
        "close_seconds": round(close, 2),
        "close_seconds_per_million": round(close * 1_000_000 / players, 2),
        "close_over_sorted_copy": round(copy / close, 3),
    }


def _seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _dsn(settings: dict[str, Any]) -> str:
    return f"host={settings['HOST']} user={settings['USER']} dbname={settings['NAME']}"


if __name__ == "__main__":
    main()
