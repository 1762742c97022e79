"""What each way of counting costs in bytes, beside a plain set of the same, and how far an estimate is off.

    python -m benchmarks.counting [--players 1000000] [--json FILE]

Bytes are Redis's own (MEMORY USAGE, every element looked at). docs/counting.md is written from the JSON.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import islice
from typing import Any

import redis

from benchmarks.harness.command import run

CHUNK = 1_000
PAGES = 1_000
IN_WINDOW = 1_000
MOST_LIKES = 100_000
DAYS = 7
FIRST_DAY = date(2026, 1, 19)


def measure(players: int) -> dict[str, Any]:
    """All figures of one run."""
    from django.conf import settings

    with redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]) as client:
        figures = {"players": players, **_visitors(client, players), **_week(client, players)}
        for share in (30, 100):
            figures |= _attendance(client, players, share)
        return figures | _small(client) | _likes(client, min(players, MOST_LIKES))


def _visitors(client: redis.Redis, players: int) -> dict[str, Any]:
    """A HyperLogLog and a set of the same visitors."""
    for names in _chunks(_visitor(nth) for nth in range(players)):
        client.pfadd("dau", *names)
        client.sadd("dau:set", *names)
    return {
        "hyperloglog_bytes": _bytes(client, "dau"),
        "visitors_set_bytes": _bytes(client, "dau:set"),
        "hyperloglog_error_percent": _off(client.pfcount("dau"), players),
    }


def _week(client: redis.Redis, players: int) -> dict[str, Any]:
    """Seven days of a seventh each, half of it the day before's again; joined to a week."""
    each, step = players // DAYS, players // DAYS // 2
    keys = [f"dau:{FIRST_DAY + timedelta(days=day)}" for day in range(DAYS)]
    for day, key in enumerate(keys):
        for names in _chunks(_visitor(nth) for nth in range(day * step, day * step + each)):
            client.pfadd(key, *names)
    client.pfmerge("week", *keys)
    together = (DAYS - 1) * step + each
    return {
        "week_visitors": together,
        "week_error_percent": _off(client.pfcount("week"), together),
        "week_merged_is_week_counted": client.pfcount("week") == client.pfcount(*keys),
    }


def _attendance(client: redis.Redis, players: int, share: int) -> dict[str, Any]:
    """A bitmap and a set of the same dense numbers; ``share`` of a hundred are there."""
    bitmap, plain = f"attend:{share}", f"attend:{share}:set"
    for numbers in _chunks(nth for nth in range(players) if nth % 10 < share // 10):
        pipeline = client.pipeline(transaction=False)
        for number in numbers:
            pipeline.setbit(bitmap, number, 1)
        pipeline.sadd(plain, *numbers)
        pipeline.execute()
    return {
        f"bitmap_{share}_bytes": _bytes(client, bitmap),
        f"attendance_set_{share}_bytes": _bytes(client, plain),
        f"bitmap_{share}_exact": client.bitcount(bitmap) == client.scard(plain),
    }


def _small(client: redis.Redis) -> dict[str, Any]:
    """What is bounded: a day's hits, a window of requests."""
    client.hset("hits", mapping={f"competition:{nth}": 1_000 + nth for nth in range(PAGES)})
    client.zadd("window", {f"{1_768_800_000_000_000 + nth}-{nth % 997:08x}": nth for nth in range(IN_WINDOW)})
    return {
        "hits_bytes": _bytes(client, "hits"),
        "window_bytes": _bytes(client, "window"),
    }


def _likes(client: redis.Redis, likes: int) -> dict[str, Any]:
    """Who likes one thing, by player ids of twelve characters."""
    for numbers in _chunks(range(likes)):
        client.zadd("liked_by", {f"player-{nth:05d}": 1_768_800_000_000 + nth for nth in numbers})
    return {"liked_by_likes": likes, "liked_by_bytes_per_like": round(_bytes(client, "liked_by") / likes, 1)}


def _visitor(nth: int) -> str:
    """As long as what a guest is counted by."""
    return hashlib.sha256(str(nth).encode()).hexdigest()[:32]


def _chunks(items: Iterable[Any]) -> Iterator[list[Any]]:
    source = iter(items)
    while chunk := list(islice(source, CHUNK)):
        yield chunk


def _bytes(client: redis.Redis, key: str) -> int:
    return int(client.memory_usage(key, samples=0) or 0)


def _off(counted: int, real: int) -> float:
    return round(100 * abs(counted - real) / real, 3)


if __name__ == "__main__":
    run(__doc__, measure)
