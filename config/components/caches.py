"""The setting CACHES: the page cache, which is optional, and the boards' Redis."""

from typing import Any

from foundation.conf import redis_cache


def caches(pages: str, boards: str) -> dict[str, dict[str, Any]]:
    """Build ``CACHES`` from the URLs of the page cache and of the boards' Redis."""
    page_cache = redis_cache(pages) | {"KEY_PREFIX": "plain"}
    page_cache["OPTIONS"]["IGNORE_EXCEPTIONS"] = True  # pages work without their cache
    return {"default": page_cache, "boards": redis_cache(boards)}
