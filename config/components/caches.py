"""The setting CACHES: the page cache, which is optional, and the boards' Redis."""

from typing import Any

from redis.backoff import NoBackoff
from redis.retry import Retry

CONNECT_SECONDS = 0.25  # until Redis counts as away
ANSWER_SECONDS = 0.5


def caches(pages: str, boards: str) -> dict[str, dict[str, Any]]:
    """Build ``CACHES`` from the URLs of the page cache and of the boards' Redis."""
    page_cache = _redis_cache(pages) | {"KEY_PREFIX": "plain"}
    page_cache["OPTIONS"]["IGNORE_EXCEPTIONS"] = True  # pages work without their cache
    return {"default": page_cache, "boards": _redis_cache(boards)}


def _redis_cache(url: str) -> dict[str, Any]:
    return {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": url,
        "OPTIONS": {
            # Not pickle, which can run code from the cache.
            "SERIALIZER": "foundation.caching.serializer.BytesJsonSerializer",
            "CONNECTION_POOL_KWARGS": {
                "socket_timeout": ANSWER_SECONDS,
                "socket_connect_timeout": CONNECT_SECONDS,
                # No retries: redis-py also repeats writes, so that an INCR may count twice.
                "retry": Retry(NoBackoff(), 0),
                "max_connections": 64,
            },
        },
    }
