"""The site as it is served, beside the least that Django can serve: submits, pages, live viewers.

    python -m benchmarks.http [--players 1000000] [--seconds 1] [--passes 5] [--json FILE]

granian with two workers, PostgreSQL and a Valkey with an AOF (everysec). The worker is not running: what the mirror
costs is ``mirror_rate``. The load comes from a process of its own, whose share of the CPU is named beside.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import (
    Bound,
    Figure,
    Sample,
    Size,
    at_least,
    in_turns,
    median_rate,
    over,
    ratio,
    rounded,
    spend,
    under,
)
from benchmarks.harness.load import HOST, Order
from benchmarks.harness.sites import OURS, Site, begin, finish, served

SCORES = "/api/v1/scores"
CONNECTIONS = 16
BATCH_CONNECTIONS = 4
HYBRID_SHARE = 10  # of the players: settling a million would take longer than all that is measured
GATHERED_SECONDS = 5  # until all viewers have come, and have heard how often to look
VIEWERS = 100  # who look at the board, each again and again
STATED_RATE, STATED_P99_MS = 2500, 50


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    with tempfile.TemporaryDirectory(prefix="sunwi-http-", dir="/tmp") as folder:
        log = Path(folder) / "log"
        with (
            served(OURS, "/healthz", log, stores()) as site,
            served("benchmarks.limits.site:application", "/empty", log) as least,
        ):
            run = _Run(size, site, least)
            return {"players": size.players, **_submits(run), **_pages(run), **_live(run)}


def stores() -> tuple[int, ...]:
    """The processes of Redis and PostgreSQL."""
    import redis
    from django.conf import settings
    from django.db import connection

    from benchmarks.harness.meter import parent_of

    with redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]) as client:
        cache = int(client.info("server")["process_id"])
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cache, parent_of(cursor.fetchone()[0])


class _Run:
    """Two boards full of players, a key, both sites, and what is asked of them."""

    def __init__(self, size: Size, site: Site, least: Site) -> None:
        from benchmarks.harness.boards import MOVING, filled_board, forget_redis, settle
        from foundation.security import service_keys

        self.size, self.site, self.least = size, site, least
        self.in_redis = filled_board(size.players, "redis", **MOVING)
        self.hybrid = filled_board(max(1, size.players // HYBRID_SHARE), "hybrid", **MOVING)
        forget_redis()
        settle(self.in_redis)
        settle(self.hybrid)
        _, key = service_keys.make("bench", ["scores:write"])
        self.key = {"Authorization": f"Bearer {key}"}
        self.page = f"/boards/{self.in_redis.board_id}/"
        for asked in (self.page, f"{self.page}?fragment=1"):
            self.get(asked, 0.2)
        self.post(self.in_redis, 1, 0.2)
        self.post(self.hybrid, 1, 0.2)

    def order(self, period: Any, entries: int, seconds: float, connections: int = CONNECTIONS) -> Order:
        return Order(self.site.port, seconds, SCORES, **self._entries(period, entries, connections))

    def post(self, period: Any, entries: int, seconds: float = 0, connections: int = CONNECTIONS) -> Sample:
        asked = self._entries(period, entries, connections)
        return self.site.load(SCORES, seconds or self.size.seconds, **asked)

    def _entries(self, period: Any, entries: int, connections: int) -> dict[str, Any]:
        return {
            "post": True,
            "entries": entries,
            "board": period.board_id,
            "players": self.size.players if period is self.in_redis else max(1, self.size.players // HYBRID_SHARE),
            "headers": self.key,
            "connections": connections,
        }

    def get(self, path: str, seconds: float = 0, **options: Any) -> Sample:
        options = {"players": self.size.players} | options
        return self.site.load(path, seconds or self.size.seconds, **options)

    def empty(self, path: str, **options: Any) -> Sample:
        return self.least.load(path, self.size.seconds, **options)

    def ratio(self, ours: Any, theirs: Any, bound: Bound) -> Figure:
        return ratio(self.size.passes, ours, theirs, bound)


def _submits(run: _Run) -> dict[str, Any]:
    passes = run.size.passes
    batches, loop = in_turns(passes, lambda: _many(run.post(run.in_redis, 1000, 0, BATCH_CONNECTIONS)), _zadd_loop(run))
    empty = partial(run.empty, "/empty", post=True, entries=1)
    single, least = in_turns(passes, lambda: run.post(run.in_redis, 1), empty)
    hybrid, in_redis = in_turns(passes, lambda: run.post(run.hybrid, 1), lambda: run.post(run.in_redis, 1))
    return {
        "http_batch_redis": over(batches, loop, at_least(0.5)),
        "http_batch_redis_per_second": median_rate(batches),
        "http_batch_redis_load_share": _median(batches, "load_share"),
        "http_single_redis": over(single, least, at_least(0.35)),
        "http_single_redis_per_second": Figure(median_rate(single), at_least(STATED_RATE)),
        "http_single_redis_p99_ms": Figure(_median(single, "p99_ms"), under(STATED_P99_MS)),
        "http_single_redis_load_share": _median(single, "load_share"),
        "http_empty_per_second": median_rate(least),
        "http_single_hybrid": over(hybrid, in_redis, at_least(0.35)),
        "http_single_hybrid_per_second": median_rate(hybrid),
        "http_single_hybrid_p99_ms": _median(hybrid, "p99_ms"),
    }


def _many(sample: Sample) -> Sample:
    """The same in entries."""
    return Sample(sample.count * 1000, sample.seconds, sample.beside)


def _zadd_loop(run: _Run) -> Any:
    """A pipelined loop over as many members in a bare sorted set."""
    import redis
    from django.conf import settings

    from benchmarks.limits import sorted_sets
    from config.components import redis_urls

    client = redis.Redis.from_url(redis_urls.with_database(settings.CACHES["boards"]["LOCATION"], 3))
    names = [f"player-{n}" for n in range(1, run.size.players + 1)]
    random.shuffle(names)
    sorted_sets.fill(client, "limit", ((name, float(random.getrandbits(50))) for name in names))

    def prepare() -> tuple[int, list[tuple[str, float]]]:
        some = random.choices(names, k=1000)
        return len(some), [(name, float(random.getrandbits(50))) for name in some]

    return partial(spend, run.size.seconds, prepare, partial(sorted_sets.pipelined_zadd, client, "limit"))


def _pages(run: _Run) -> dict[str, Any]:
    empty = partial(run.empty, "/page")
    first: dict[str, Any] = {"headers": {"Cookie": "player={player}"}}
    crowd = first | {"players": min(VIEWERS, run.size.players)}
    fragment = f"{run.page}?fragment=1"
    tag, one = {"If-None-Match": _etag(run.site, fragment)}, {"Cookie": "player=player-1"}
    own_tag = {"If-None-Match": _etag(run.site, fragment, one)}
    public, least = in_turns(run.size.passes, partial(run.get, run.page), empty)
    mine, least_again = in_turns(run.size.passes, partial(run.get, run.page, **crowd), empty)
    return {
        "page_public": over(public, least, at_least(0.6)),
        "page_public_per_second": median_rate(public),
        "page_empty_per_second": median_rate(least),
        "page_load_share": _median(public, "load_share"),
        "page_me": over(mine, least_again, at_least(0.3)),
        "page_me_per_second": median_rate(mine),
        "page_me_first": ratio(run.size.beside, partial(run.get, run.page, **first), empty, Bound()),
        "not_modified": run.ratio(partial(run.get, fragment, headers=tag), partial(run.get, fragment), at_least(2)),
        "not_modified_me": ratio(
            run.size.beside,
            partial(run.get, fragment, headers=own_tag | one),
            partial(run.get, fragment, headers=one),
            Bound(),
        ),
    }


def _etag(site: Site, path: str, headers: Mapping[str, str] = MappingProxyType({})) -> str:
    """The ETag of a page at rest: each process may keep an answer from before the last score for so long."""
    from foundation.caching.micro_cache import MAX_STALE_SECONDS

    time.sleep(MAX_STALE_SECONDS)
    asked = urllib.request.Request(f"http://{HOST}:{site.port}{path}", headers=dict(headers))
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return str(answer.headers["ETag"])


def _live(run: _Run) -> dict[str, Any]:
    return {**_viewers(run), **_read_stall(run)}


def _viewers(run: _Run) -> dict[str, Any]:
    """CPU of web and stores while so many follow a board as the page does: by asking again when they are told to."""
    fragment = f"{run.page}?fragment=1"
    tag = {"If-None-Match": _etag(run.site, fragment)}

    def follow(viewers: int) -> Sample:
        order = Order(
            run.site.port, GATHERED_SECONDS + 3 * run.size.seconds, fragment,
            headers=tag, followers=viewers, connections=min(64, viewers),
        )  # fmt: skip  # as a table
        return run.site.watched(order, GATHERED_SECONDS)

    many, few = in_turns(run.size.beside, partial(follow, 1000), partial(follow, 100))
    return {
        "viewers": over(many, few, under(3)),
        "viewers_1000_cpu": median_rate(many),
        "viewers_1000_per_second": _median(many, "answered_per_second"),
        "viewers_1000_p99_ms": _median(many, "p99_ms"),
    }


def _read_stall(run: _Run) -> dict[str, Any]:
    """A rank read over and over: by the store in this process, and over HTTP; with batches pouring in and without.

    And while every core is busy with something that asks nothing of Redis: so long a reader waits for a core alone.
    """
    figures: dict[str, Any] = {}
    for name, look, passes in (
        ("read_stall", _store_p99, run.size.passes),
        ("read_stall_http", _http_p99, run.size.beside),
    ):
        stalled, calm, busy = [], [], []
        for _ in range(passes):
            pouring = begin(run.order(run.in_redis, 1000, 2 * run.size.seconds, 2))
            time.sleep(run.size.seconds / 4)
            stalled.append(look(run))
            finish(pouring)
            calm.append(look(run))
            with _busy_cores():
                busy.append(look(run))
        figures[name] = over(stalled, calm, under(10))
        figures[f"{name}_p99_ms"] = round(statistics.median(each.rate for each in stalled), 2)
        figures[f"{name}_of_busy_cores"] = over(busy, calm)
    return figures


@contextmanager
def _busy_cores() -> Iterator[None]:
    """As many processes as there are cores, each in an endless loop."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        time.sleep(0.2)
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def _store_p99(run: _Run) -> Sample:
    from foundation.redis import client as links
    from leaderboards.stores.base import ForPlayers
    from leaderboards.stores.redis.reads import ZsetStore

    store, taken = ZsetStore(links.boards()), []
    until = time.perf_counter() + run.size.seconds
    while (begun := time.perf_counter()) < until:
        store.read(run.in_redis, [ForPlayers((f"player-{random.randrange(run.size.players) + 1}",))])
        taken.append(time.perf_counter() - begun)
    return Sample(1000 * sorted(taken)[len(taken) * 99 // 100], 1, {"unit": "ms", "reads": len(taken)})


def _http_p99(run: _Run) -> Sample:
    path = f"/api/v1/boards/{run.in_redis.board_id}/players/{{player}}"
    found = run.get(path, connections=1)
    return Sample(found.beside["p99_ms"], 1, {"unit": "ms", "reads": found.count})


def _median(samples: Sequence[Sample], name: str) -> float:
    return rounded(statistics.median(float(sample.beside[name]) for sample in samples))


if __name__ == "__main__":
    run_sized(__doc__, measure)
