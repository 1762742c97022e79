"""What a batch of scores costs at least: PostgreSQL and Valkey with the same rows, and nothing of Sunwi around them.

``hybrid``: one plain transaction that inserts the submissions and upserts the standings (``limits/ledger.py``).
``redis``: one pipelined ZADD (``limits/sorted_sets.py``), without a mirror in SQL.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import redis

from benchmarks.harness.figures import Figure, Sample
from benchmarks.harness.meter import tree_seconds
from benchmarks.limits import sorted_sets
from benchmarks.limits.ledger import Ledger

KEY = "plain-batch"


def plain_batches(period: Any, players: int, batch: int, seconds: float, pids: tuple[int, ...]) -> dict[str, Figure]:
    """Both floors on a copy of a board's standings; ``pids``: Sunwi's processes, web, Valkey, PostgreSQL first."""
    with _copied(period, players) as (client, ledger, numbers):

        def rows() -> list[tuple[int, str, int, float]]:
            points = ((name, random.randrange(1_000_000)) for name in random.sample(list(numbers), batch))
            return sorted((numbers[name], name, each, float(each << 30)) for name, each in points)

        def add(made: Sequence[tuple[int, str, int, float]]) -> None:
            sorted_sets.pipelined_zadd(client, KEY, [(name, score) for _, name, _, score in made])

        return {
            f"plain_batch_hybrid_{players}": Figure(None, ours=[_spent(rows, ledger.submit, seconds, pids)]),
            f"plain_batch_redis_{players}": Figure(None, ours=[_spent(rows, add, seconds, pids)]),
        }


@contextmanager
def _copied(period: Any, players: int) -> Iterator[tuple[redis.Redis, Ledger, dict[str, int]]]:
    from django.conf import settings
    from django.db import connection

    from config.components import redis_urls
    from leaderboards.models import Player

    options = connection.settings_dict
    dsn = f"host={options['HOST']} user={options['USER']} dbname={options['NAME']}"
    names = [f"player-{n}" for n in range(1, players + 1)]
    numbers = dict(Player.objects.filter(external_id__in=names).values_list("external_id", "pk"))
    client = redis.Redis.from_url(redis_urls.with_database(settings.CACHES["boards"]["LOCATION"], 3))
    sorted_sets.fill(client, KEY, ((name, float(random.randrange(1_000_000) << 30)) for name in numbers))
    ledger = Ledger(dsn, period.pk)
    try:
        yield client, ledger, numbers
    finally:
        ledger.close()
        client.delete(KEY)
        client.close()


def _spent(make: Callable[[], Any], work: Callable[[Any], object], seconds: float, pids: tuple[int, ...]) -> Sample:
    """The CPU seconds of the work itself: of this process, of Valkey and of PostgreSQL."""
    _, cache, sql, *behind = pids
    servers = [(cache,), (sql,)]
    before = [tree_seconds(each) for each in servers]
    count, mine, begun = 0, 0.0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        made, at = make(), time.process_time()
        work(made)
        mine += time.process_time() - at
        count += 1
    took = time.perf_counter() - begun
    spent = [mine, *(tree_seconds(each) - was for each, was in zip(servers, before, strict=True))]
    each = [*spent, *(0.0 for _ in behind)]
    return Sample(
        count, took, {"served_cpu_seconds": round(sum(spent), 3), "served_cpu_of_each": [round(s, 3) for s in each]}
    )
