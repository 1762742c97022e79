"""What a call to the boards' Redis can end with besides an answer."""

from redis.exceptions import ConnectionError as DriverConnectionError

from foundation.errors import Unavailable


class RedisAway(Unavailable):
    """Redis is unreachable; nothing was sent."""


class RedisSilent(Unavailable):
    """A command was sent and no answer came in time: it may have taken effect, or may until its deadline."""


class RedisRefused(Unavailable):
    """Redis answered with an error and did nothing. ``detail`` is Redis's message; never show it to API callers."""


class ScriptMissing(RedisRefused):
    """Redis has not loaded the script; nothing ran."""


class UnknownRedis(DriverConnectionError):
    """The server behind a new connection is a replica or not in ``KnownRedis``: its data is not trusted."""
