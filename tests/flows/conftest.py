"""The links as a fresh process has them, and worlds whose servers may be killed."""

from tests.faults.conftest import _migrated, dice, make_world, seed, world
from tests.links import links, redis_known

__all__ = ["_migrated", "dice", "links", "make_world", "redis_known", "seed", "world"]
