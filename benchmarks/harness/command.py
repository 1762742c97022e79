"""What every benchmark is on the command line: servers of its own, ``name: value`` lines, JSON if asked.

A figure below its bound says ``short``. The JSON keeps what both sides did, the machine and the versions.
"""

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.harness.figures import Figure, Size
from benchmarks.harness.servers import servers

PACKAGES = ("django", "django-ninja", "granian", "hiredis", "orjson", "psycopg", "redis")


def run(description: str | None, measure: Callable[[int], dict[str, Any]]) -> None:
    """Measure with as many players as asked for, print the figures, and write them to a file if one is named."""
    run_sized(description, lambda size: measure(size.players))


def run_sized(description: str | None, measure: Callable[[Size], dict[str, Any]]) -> None:
    """The same, of a benchmark that does its work in passes."""
    recorded(parser(description).parse_args(), measure)


def parser(description: str | None) -> argparse.ArgumentParser:
    """What each of them takes."""
    made = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    made.add_argument("--players", type=int, default=1_000_000)
    made.add_argument("--seconds", type=float, default=1.0, help="of each side in a pass")
    made.add_argument("--passes", type=int, default=5)
    made.add_argument("--json", type=Path)
    return made


def lines(figures: dict[str, Any]) -> str:
    """How figures are printed: one a line."""
    return "\n".join(f"{name}: {value}" for name, value in figures.items())


def recorded(
    options: argparse.Namespace,
    measure: Callable[[Size], dict[str, Any]],
    shown: Callable[[dict[str, Any]], str] = lines,
) -> None:
    """Measure on servers of its own, print the figures, and write them to a file if one is named."""
    size = Size(options.players, options.seconds, options.passes)
    with tempfile.TemporaryDirectory(prefix="sunwi-bench-", dir="/tmp") as folder, servers(Path(folder)):
        load = os.getloadavg()
        figures = measure(size)
        machine = _machine() | {"load_before": load, "load_after": os.getloadavg()}
    print(shown(figures))
    if options.json:
        kept = {name: each.to_json() if isinstance(each, Figure) else each for name, each in figures.items()}
        told = {"machine": machine, "size": _told(size), "figures": kept}
        options.json.write_text(json.dumps(told, indent=2) + "\n")


def _told(size: Size) -> dict[str, Any]:
    return {"players": size.players, "seconds": size.seconds, "passes": size.passes}


def _machine() -> dict[str, Any]:
    import redis
    from django.conf import settings
    from django.db import connection

    with redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]) as client:
        server = client.info("server")
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        postgresql = cursor.fetchone()[0]
    return {
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "system": platform.platform(),
        "python": " ".join((platform.python_version(), *platform.python_build(), platform.python_compiler())),
        "redis_server": f"{server.get('server_name', 'redis')} {server.get('valkey_version', server['redis_version'])}",
        "postgresql": postgresql,
        "packages": {name: metadata.version(name) for name in PACKAGES},
    }
