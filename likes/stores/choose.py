"""Choosing the store of a kind by its storage."""

from functools import cache

from likes.core.kinds import Storage
from likes.registry import Likeable
from likes.stores.append import AppendStore
from likes.stores.base import Store
from likes.stores.hybrid import HybridStore
from likes.stores.redis import RedisStore
from likes.stores.sql import SqlStore


@cache
def store_of(likeable: Likeable) -> Store:
    """The store of a kind."""
    match likeable.storage:
        case Storage.SQL:
            return SqlStore(likeable)
        case Storage.APPEND:
            return AppendStore(likeable)
        case Storage.REDIS:
            return RedisStore(likeable)
        case Storage.HYBRID:
            return HybridStore(likeable)
