"""What worker and beat cost beside the web: while scores come in, and while nothing happens.

    python -m benchmarks.worker [--players 1000000] [--seconds 1] [--passes 5] [--json FILE]

``worker_cpu``: CPU seconds of both for 1,000 scores of a redis board, until what came is in SQL; ``worker_cpu_web`` is
the web's own share of the same scores. ``idle_cpu``: CPU seconds a minute of everything that runs (web, stores, worker,
beat) with ten quiet boards, watched for sixty times --seconds. The scores come from wrk.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import api
from benchmarks.harness import wrk
from benchmarks.harness.background import background
from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, at_most, rounded
from benchmarks.harness.meter import proportional_megabytes, tree_seconds
from benchmarks.harness.sites import OURS, Site, served
from benchmarks.http import stores

QUIET_BOARDS = 10
QUIET_PLAYERS = 1_000
CALM_SECONDS = 10.0  # after the start, until what a start brings with it is over
WATCHED = 60  # times --seconds
LONGER = 5  # a pass, in seconds of a usual one
MIRRORED_SECONDS = 2.0  # the mirror runs each second
MEGABYTES = at_most(150)


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    with tempfile.TemporaryDirectory(prefix="sunwi-worker-", dir="/tmp") as made:
        folder = Path(made)
        ask = _boards(size.players, folder)
        with served(OURS, "/healthz", folder / "log", stores()) as site, background(folder) as behind:
            time.sleep(CALM_SECONDS)
            figures = {"players": size.players, **_idle(site, behind, WATCHED * size.seconds)}
            if wrk.is_here():
                figures |= _busy(site, behind, ask, size)
            else:
                figures |= {name: Figure(None, why=wrk.MISSING) for name in ("worker_cpu", "worker_cpu_web")}
            return figures | {"worker_memory_mb": Figure(proportional_megabytes(behind), MEGABYTES)}


def _boards(players: int, folder: Path) -> wrk.Ask:
    """Ten quiet boards, five of each storage, the first redis board with so many players; a score of that one."""
    from benchmarks.harness.boards import MOVING, filled_board, forget_redis, settle
    from foundation.security import service_keys

    few = min(QUIET_PLAYERS, players)
    sizes = [players] + [few] * (QUIET_BOARDS - 1)
    storages = ["redis", "hybrid"] * (QUIET_BOARDS // 2)
    filled = [
        filled_board(many, storage, f"Quiet {nth}", **MOVING)
        for nth, (many, storage) in enumerate(zip(sizes, storages, strict=True))
    ]
    forget_redis()
    for period in filled:
        settle(period)
    _, key = service_keys.make("bench-worker", ["scores:write"])
    return api.single(filled[0].board_id, wrk.names(folder, players), key, api.ENTRY)


def _idle(site: Site, behind: tuple[int, ...], seconds: float) -> dict[str, Any]:
    parts = {"web": site.pids[:1], "stores": site.pids[1:], "worker": behind}
    before, asked, begun = {name: tree_seconds(pids) for name, pids in parts.items()}, _commands(), time.monotonic()
    time.sleep(seconds)
    spent = {name: tree_seconds(pids) - before[name] for name, pids in parts.items()}
    took, commands = time.monotonic() - begun, _commands() - asked
    told = {f"idle_cpu_{name}": rounded(60 * each / took) for name, each in spent.items()}
    return {
        "idle_cpu": rounded(60 * sum(spent.values()) / took),
        **told,
        "idle_redis_commands_per_second": rounded(commands / took),
    }


def _commands() -> int:
    """Those that Redis has carried out, of boards, cache and broker; what scripts call counts, asking is one."""
    import redis
    from django.conf import settings

    with redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]) as client:
        return sum(int(each["calls"]) for each in client.info("commandstats").values())


def _busy(site: Site, behind: tuple[int, ...], ask: wrk.Ask, size: Size) -> dict[str, Any]:
    web: list[Sample] = []
    worker: list[Sample] = []
    for _ in range(size.beside):
        before = [tree_seconds(pids) for pids in (site.pids[:1], behind)]
        told = wrk.load(site.port, ask, LONGER * size.seconds, site.pids)
        time.sleep(MIRRORED_SECONDS)
        spent = [tree_seconds(pids) - each for pids, each in zip((site.pids[:1], behind), before, strict=True)]
        for samples, each in zip((web, worker), spent, strict=True):
            samples.append(Sample(told.count, told.seconds, told.beside | {"served_cpu_seconds": round(each, 3)}))
    return {
        "worker_cpu": Figure(api.cpu_ms(worker), ours=worker, theirs=web),
        "worker_cpu_web": Figure(api.cpu_ms(web)),
    }


if __name__ == "__main__":
    run_sized(__doc__, measure)
