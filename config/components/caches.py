"""The caches, both in Redis: pages in one, which may be away, and what stands beside the boards in the other."""

from typing import Any

from redis.backoff import NoBackoff
from redis.retry import Retry


def caches(pages: str, boards: str) -> dict[str, dict[str, Any]]:
    """The setting ``CACHES``, from the address of the page cache and that of the boards' Redis."""
    made = {"default": _redis_cache(pages) | {"KEY_PREFIX": "plain"}, "boards": _redis_cache(boards)}
    made["default"]["OPTIONS"]["IGNORE_EXCEPTIONS"] = True  # a page cache that is away costs time, never a page
    return made


def _redis_cache(url: str) -> dict[str, Any]:
    return {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": url,
        "OPTIONS": {
            # Never pickle, which runs what it reads.
            "SERIALIZER": "foundation.caching.serializer.BytesJsonSerializer",
            "CONNECTION_POOL_KWARGS": {
                "socket_timeout": 0.5,
                "socket_connect_timeout": 0.25,
                # redis-py repeats commands by itself, writes too: a stalled INCR counts twice.
                "retry": Retry(NoBackoff(), 0),
                "max_connections": 64,
            },
        },
    }
