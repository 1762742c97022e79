"""What a plain client does with a sorted set: a pipelined ZADD loop, three calls for a page, single commands."""

from collections.abc import Iterable, Sequence
from itertools import islice
from operator import itemgetter

import redis

CHUNK = 1000
SORTED = 100_000


def pipelined_zadd(client: redis.Redis, key: str, rows: Sequence[tuple[str, float]]) -> None:
    """One pipeline for all rows, a ZADD each."""
    pipeline = client.pipeline(transaction=False)
    for member, score in rows:
        pipeline.zadd(key, {member: score})
    pipeline.execute()


def fill(client: redis.Redis, key: str, rows: Iterable[tuple[str, float]]) -> None:
    """Add all rows, many at a time: measured nowhere.

    Each hundred thousand go in by score, which is several times as fast; in memory neighbours still lie far apart.
    """
    left = iter(rows)
    while some := sorted(islice(left, SORTED), key=itemgetter(1)):
        for start in range(0, len(some), CHUNK):
            client.zadd(key, dict(some[start : start + CHUNK]))


def three_calls(client: redis.Redis, key: str, member: str) -> None:
    """Top ten, my rank, and four on each side of me."""
    client.zrevrange(key, 0, 9, withscores=True)
    rank = client.zrevrank(key, member)
    if not isinstance(rank, int):
        raise SystemExit(f"{member} is not in {key}")
    client.zrevrange(key, max(0, rank - 4), rank + 4, withscores=True)


def memory(client: redis.Redis, key: str) -> int:
    """Bytes of a key, all of it looked at."""
    return int(client.memory_usage(key, samples=0) or 0)
