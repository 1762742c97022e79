"""The API as it is served, beside the least that Django can serve: reads, and single scores with an id or a rank.

    python -m benchmarks.api [--players 1000000] [--seconds 1] [--passes 5] [--json FILE]

granian with two workers, PostgreSQL, a Valkey with an AOF (everysec), no worker. The load comes from wrk. The trap:
what processes remember for a few seconds is asked again when it runs out, so each figure begins later than that after
the first request, and its passes (five times --seconds each) go over several such moments.
"""

import statistics
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import wrk
from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Bound, Figure, Sample, Size, in_turns, median_rate, over, rounded
from benchmarks.harness.load import HOST
from benchmarks.harness.sites import OURS, Site, served
from benchmarks.harness.wrk import Ask
from benchmarks.http import HYBRID_SHARE, SCORES, stores

LONGER = 5  # a pass of ours, in seconds of a usual one
ENTRY = '{"board":%d,"player":"{player}","points":{points}}'
WITH_ID = '{"board":%d,"player":"{player}","points":{points},"id":"{id}"}'
NAMES = (
    "http_single_redis_id",
    "http_single_hybrid_id",
    "http_single_rank",
    "api_top",
    "api_top_recent",
    "api_top_100",
    "api_own",
    "api_around",
    "api_list_and_own",
)
ENDS = ("", "_per_second", "_cpu_ms", "_load_share")


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    if not wrk.is_here():
        return {"players": size.players} | {name: Figure(None, why=wrk.MISSING) for name in _keys()}
    with tempfile.TemporaryDirectory(prefix="sunwi-api-", dir="/tmp") as folder:
        log = Path(folder) / "log"
        with (
            served(OURS, "/healthz", log, stores()) as site,
            served("benchmarks.limits.site:application", "/empty", log) as least,
        ):
            return {"players": size.players, **_figures(size, site, least, asks(size.players, Path(folder)))}


def _keys() -> list[str]:
    return [name + end for name in NAMES for end in ENDS] + ["api_empty_cpu_ms"]


def asks(players: int, folder: Path) -> dict[str, Ask]:
    """A redis board of so many players and a hybrid one of a tenth, settled; what each figure asks of them."""
    from benchmarks.harness.boards import MOVING, filled_board, forget_redis, settle
    from foundation.security import service_keys

    few = max(1, players // HYBRID_SHARE)
    in_redis, hybrid = filled_board(players, "redis", **MOVING), filled_board(few, "hybrid", **MOVING)
    forget_redis()
    settle(in_redis)
    settle(hybrid)
    _, key = service_keys.make("bench-api", ["scores:write"])
    here, there = wrk.names(folder, players), wrk.names(folder, few)
    return {
        "http_single_redis_id": single(in_redis.board_id, here, key, WITH_ID),
        "http_single_hybrid_id": single(hybrid.board_id, there, key, WITH_ID),
        "http_single_rank": ranked(single(hybrid.board_id, there, key, ENTRY)),
        **reads(in_redis.board_id, here),
    }


def single(board: int, players: Path, key: str, entry: str) -> Ask:
    """A POST of one entry."""
    body, headers = '{"entries":[{entries}]}', {"Authorization": f"Bearer {key}"}
    return Ask(SCORES, '"rejected":0', players, 1, body, entry % board, headers)


def ranked(ask: Ask) -> Ask:
    """The same, and it is told the rank."""
    return replace(ask, path=f"{ask.path}?ranks=true")


def reads(board: int, players: Path) -> dict[str, Ask]:
    """Each way of reading a board, by random players of it, without a key."""
    at = f"/api/v1/boards/{board}"
    return {
        "api_top": Ask(f"{at}/standings?limit=20", '"rows":[{', players),
        "api_top_recent": Ask(f"{at}/standings?limit=20", '"rows":[{', players, headers={"Cache-Control": "max-age=1"}),
        "api_top_100": Ask(f"{at}/standings?limit=100", '"rows":[{', players),
        "api_own": Ask(f"{at}/players/{{player}}", '"rank":', players),
        "api_around": Ask(f"{at}/players/{{player}}/around?radius=5", '"rows":[{', players),
        "api_list_and_own": Ask(f"{at}/view?ids={{player}}&limit=20", '"named":[{', players),
    }


def trouble(port: int, ask: Ask) -> str:
    """Why a read cannot be measured: the address is not there. Empty where it is."""
    player = ask.players.read_text().partition("\n")[0].partition("\t")[0]
    address = f"http://{HOST}:{port}{ask.path.replace('{player}', player)}"
    try:
        with urllib.request.urlopen(address, timeout=30):
            return ""
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise SystemExit(f"{ask.path}: {error.code} {error.read()[:300]!r}") from error
        return f"there is no {ask.path.partition('?')[0]} (404)"


def _figures(size: Size, site: Site, least: Site, asked: dict[str, Ask]) -> dict[str, Any]:
    players = asked["api_top"].players
    empty, page = Ask("/empty", '{"read"', players, 1, "{entries}", "{}"), Ask("/empty", '{"read"', players)
    missing = {name: "" if ask.entries else trouble(site.port, ask) for name, ask in asked.items()}
    for name, ask in asked.items():
        if not missing[name]:
            wrk.load(site.port, ask, 1, site.pids)
    _outlast_memories()
    figures: dict[str, Any] = {}
    told: list[Sample] = []
    for name in NAMES:
        if missing[name]:
            figures |= {name + end: Figure(None, why=missing[name]) for end in ENDS}
            continue
        least_of = partial(wrk.load, least.port, empty if asked[name].entries else page, size.seconds, least.pids)
        ours = partial(wrk.load, site.port, asked[name], LONGER * size.seconds, site.pids)
        done, done_there = in_turns(size.beside, ours, least_of)
        told += done_there
        figures |= _shown(name, done, done_there)
    return figures | {"api_empty_cpu_ms": cpu_ms(told)}


def _outlast_memories() -> None:
    from foundation.db.resilience import CACHE_TTL

    time.sleep(CACHE_TTL)


def _shown(name: str, ours: list[Sample], theirs: list[Sample]) -> dict[str, Any]:
    return {
        name: over(ours, theirs, Bound()),
        f"{name}_per_second": median_rate(ours),
        f"{name}_cpu_ms": cpu_ms(ours),
        f"{name}_load_share": rounded(statistics.median(each.beside["load_share"] for each in ours)),
    }


def cpu_ms(samples: list[Sample]) -> float:
    """CPU of all who serve, in milliseconds a request: the passes together."""
    spent = sum(each.beside["served_cpu_seconds"] for each in samples)
    return rounded(1000 * spent / sum(each.count for each in samples))


if __name__ == "__main__":
    run_sized(__doc__, measure)
