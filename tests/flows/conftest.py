"""The links as a fresh process has them, and worlds whose servers may be killed."""

from tests.faults.conftest import dice, make_world, seed, shared_world, world
from tests.links import links

__all__ = ["dice", "links", "make_world", "seed", "shared_world", "world"]
