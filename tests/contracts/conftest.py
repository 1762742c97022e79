"""A process that has just started, and a Redis that it knows."""

from tests.links import links, redis_known

__all__ = ["links", "redis_known"]
