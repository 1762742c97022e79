"""The brakes: a sliding window for each caller and deed, kept in Redis by its own clock.

``refuse_over("comment", user.pk)`` is all that a caller needs. What must not open stands in the boards' Redis, which
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

from foundation import clock, lua
from foundation.errors import RateLimited, Unavailable
from foundation.limits import Ahead, Limit, Verdict, Windows
from foundation.redis import Argument, Link, RedisRefused

logger = logging.getLogger(__name__)

# A limiter that waits longer than this costs more than it saves: the process counts by itself instead.
TIMEOUT_SECONDS = 0.25
OPEN = frozenset({"read", "page"})  # brakes that let everybody through without Redis

_by_itself = Windows()
_ahead = Ahead()


def allow(brake: str, who: str | int, limit: Limit | None = None) -> Verdict:
    """Let one more request of ``who`` through the brake of this name, or refuse it. Never raises for Redis's sake.

    ``limit`` stands in for the setting's (``RATE_LIMITS``); a brake without any lets everybody through.
    """
    limit = limit or settings.RATE_LIMITS[brake]
    if limit is None:
        return Verdict(True, 0, 0)
    key = key_of(brake, who)
    try:
        return _in_redis("default" if brake in OPEN else "boards", key, limit)
    except RedisRefused as error:  # away is told by readiness; this, by nobody else
        logger.warning("Redis refuses the brake of %s: %s", brake, error.detail)
    except Unavailable as error:
        logger.debug("The brake of %s works without Redis: %s", brake, error.detail)
    return Verdict(True, 0, 0) if brake in OPEN else _by_itself.take(key, limit, clock.monotonic())


def refuse_over(brake: str, who: str | int, limit: Limit | None = None) -> None:
    """Raise ``RateLimited`` where ``who`` is over the limit; else count one more request."""
    verdict = allow(brake, who, limit)
    if not verdict.allowed:
        logger.info("Over the limit of %s: %s", brake, key_of(brake, who))
        raise RateLimited("Too many requests in a short time; try again a little later.", verdict.retry_after)


def key_of(brake: str, who: str | int) -> str:
    """The window's key. ``who`` may be anything that a stranger sent, so only its hash is in the name."""
    return f"limit:{brake}:{blake2b(str(who).encode(errors='surrogatepass'), digest_size=16).hexdigest()}"


def forget_own() -> None:
    """Forget what this process counted by itself, and what it took ahead."""
    _by_itself.forget()
    _ahead.forget()


def reset() -> None:
    """Forget that, and connections and failures: the next request connects afresh."""
    forget_own()
    for alias in ("boards", "default"):
        link_of(alias).reset()


@cache
def link_of(alias: str) -> Link:
    """A link to one of the two servers with a breaker of its own, which trusts any: what is lost here starts anew."""
    options = {
        "socket_timeout": TIMEOUT_SECONDS,
        "socket_connect_timeout": TIMEOUT_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "max_connections": 64,
    }
    return Link(ConnectionPool.from_url(settings.CACHES[alias]["LOCATION"], **options))


def _in_redis(alias: str, key: str, limit: Limit) -> Verdict:
    """Use a place that was taken ahead, or take some.

    They count from when they are taken, and may be used a little later: so the window is longer by as much.
    """
    now = clock.monotonic()
    wanted = _ahead.use(key, limit, now)
    if not wanted:
        return Verdict(True, 0, 0)
    length = int((limit.seconds + limit.seconds_ahead) * 1_000_000)
    args: list[Argument] = [limit.requests, length, secrets.token_hex(4), wanted]
    taken, remaining, wait_ms = link_of(alias).run(_script(), [key], args)
    if taken:
        _ahead.keep(key, limit, taken, now)
    return Verdict(taken > 0, remaining, wait_ms)


@cache
def _script() -> lua.Script:
    return lua.load(Path(__file__).parent / "scripts" / "window.lua")
