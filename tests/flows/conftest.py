"""The links as a fresh process has them, and worlds whose servers may be killed."""

from tests.faults.conftest import dice, make_world, seed, shared_world, world
from tests.links import links, redis_known

__all__ = ["dice", "links", "make_world", "redis_known", "seed", "shared_world", "world"]
