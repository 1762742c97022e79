"""The brakes: a sliding window for each caller and deed, kept in Redis by its own clock.

``throttle("comment", user.pk)`` is all that a caller needs. What must not open stands in the boards' Redis, which
evicts nothing; while it is away each process counts by itself, so nobody is unlimited and nobody locked out. What
strangers fill (reading, pages) stands in the cache, and is open without it. See docs/decisions/0020. Of great limits a
process takes places by the handful, so that not every request asks Redis (0024).
"""

import logging
import secrets
from functools import cache
from hashlib import blake2b
from pathlib import Path

from django.conf import settings
from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.retry import Retry

from foundation import clock
from foundation.errors import RateLimited, Unavailable
from foundation.redis import lua
from foundation.redis.client import Argument, RedisClient, RedisRefused
from foundation.throttling.limits import Limit, LocalWindows, ReservedQuota, Verdict

logger = logging.getLogger(__name__)

# A limiter that waits longer than this costs more than it saves: the process counts by itself instead.
TIMEOUT_SECONDS = 0.25
FAIL_OPEN = frozenset({"read", "page"})  # brakes that let everybody through without Redis

_by_itself = LocalWindows()
_ahead = ReservedQuota()


def allow(rule: str, who: str | int, limit: Limit | None = None) -> Verdict:
    """Let one more request of ``who`` through the brake of this name, or refuse it. Never raises for Redis's sake.

    ``limit`` stands in for the setting's (``RATE_LIMITS``); a brake without any lets everybody through.
    """
    limit = limit or settings.RATE_LIMITS[rule]
    if limit is None:
        return Verdict(True, 0, 0)
    key = key_of(rule, who)
    try:
        return _in_redis("default" if rule in FAIL_OPEN else "boards", key, limit)
    except RedisRefused as error:  # away is told by readiness; this, by nobody else
        logger.warning("Redis refuses the brake of %s: %s", rule, error.detail)
    except Unavailable as error:
        logger.debug("The brake of %s works without Redis: %s", rule, error.detail)
    return Verdict(True, 0, 0) if rule in FAIL_OPEN else _by_itself.take(key, limit, clock.monotonic())


def throttle(rule: str, who: str | int, limit: Limit | None = None) -> None:
    """Raise ``RateLimited`` where ``who`` is over the limit; else count one more request."""
    verdict = allow(rule, who, limit)
    if not verdict.allowed:
        logger.info("Over the limit of %s: %s", rule, key_of(rule, who))
        raise RateLimited("Too many requests in a short time; try again a little later.", verdict.retry_after)


def key_of(rule: str, who: str | int) -> str:
    """The window's key. ``who`` may be anything that a stranger sent, so only its hash is in the name."""
    return f"limit:{rule}:{blake2b(str(who).encode(errors='surrogatepass'), digest_size=16).hexdigest()}"


def reset_local() -> None:
    """Forget what this process counted by itself, and what it took ahead."""
    _by_itself.forget()
    _ahead.forget()


def reset() -> None:
    """Forget that, and connections and failures: the next request connects afresh."""
    reset_local()
    for alias in ("boards", "default"):
        client_of(alias).reset()


@cache
def client_of(alias: str) -> RedisClient:
    """A link to one of the two servers with a breaker of its own, which trusts any: what is lost here starts anew."""
    options = {
        "socket_timeout": TIMEOUT_SECONDS,
        "socket_connect_timeout": TIMEOUT_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "max_connections": 64,
    }
    return RedisClient(ConnectionPool.from_url(settings.CACHES[alias]["LOCATION"], **options))


def _in_redis(alias: str, key: str, limit: Limit) -> Verdict:
    """Use a place that was taken ahead, or take some.

    They count from when they are taken, and may be used a little later: so the window is longer by as much.
    """
    now = clock.monotonic()
    wanted = _ahead.use(key, limit, now)
    if not wanted:
        return Verdict(True, 0, 0)
    length = int((limit.seconds + limit.reserved_seconds) * 1_000_000)
    args: list[Argument] = [limit.requests, length, secrets.token_hex(4), wanted]
    taken, remaining, wait_ms = client_of(alias).run(_script(), [key], args)
    if taken:
        _ahead.keep(key, limit, taken, now)
    return Verdict(taken > 0, remaining, wait_ms)


@cache
def _script() -> lua.Script:
    return lua.load(Path(__file__).parent / "scripts" / "window.lua")
