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


class Redirected(RedisRefused):
    """A node of a cluster has not, or not quite, the key's slot; nothing ran. ``asking`` is for this one time only."""

    def __init__(self, detail: str, host: str, port: int, asking: bool) -> None:
        super().__init__(detail)
        self.host, self.port, self.asking = host, port, asking


class NobodyServes(RedisRefused):
    """A node of a cluster cannot serve the key now: it is down, loading or being moved. Nothing ran."""


class UnknownRedis(DriverConnectionError):
    """The server behind a new connection is a replica or not in ``KnownRedis``: its data is not trusted."""
