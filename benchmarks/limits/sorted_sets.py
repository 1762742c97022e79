"""What a plain client does with a sorted set: a pipelined ZADD loop, three calls for a page, single commands."""

from collections.abc import Iterable, Sequence
from itertools import islice

import redis

CHUNK = 1000


def pipelined_zadd(client: redis.Redis, key: str, rows: Sequence[tuple[str, float]]) -> None:
    """One pipeline for all rows, a ZADD each."""
    pipeline = client.pipeline(transaction=False)
    for member, score in rows:
        pipeline.zadd(key, {member: score})
    pipeline.execute()


def fill(client: redis.Redis, key: str, rows: Iterable[tuple[str, float]]) -> None:
    """Add all rows, many at a time: measured nowhere."""
    left = iter(rows)
    while chunk := list(islice(left, CHUNK)):
        client.zadd(key, dict(chunk))


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
