"""Rate limiting: a sliding window in Redis for each rule and caller, on Redis's clock.

Callers need only ``throttle("comment", user.pk)``. Most windows are in the boards' Redis, which never evicts; while it
is unavailable each process counts by itself, so nobody is unlimited and nobody locked out. The windows of anonymous
traffic (``FAIL_OPEN``) are in the cache's Redis, and without it all requests are allowed (docs/decisions/0020). For
high limits a process reserves several requests at once, so that not every request costs a call of Redis (0024).
"""

import logging
import secrets
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from redis.backoff import NoBackoff
from redis.retry import Retry

from foundation import clock
from foundation.conf import page_cache_alias
from foundation.errors import RateLimited, Unavailable
from foundation.messages import Message
from foundation.redis import lua
from foundation.redis.client import Argument, RedisClient, RedisRefused, client_at
from foundation.sunwi_settings import sunwi_settings
from foundation.throttling.limits import Limit, LocalWindows, ReservedQuota, Verdict

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS = 0.25  # after that the process counts by itself
FAIL_OPEN = frozenset({"read", "page"})  # rules that allow everything without Redis

_local_windows = LocalWindows()
_reserved = ReservedQuota()


def allow(rule: str, who: str | int, limit: Limit | None = None, requests: int = 1) -> Verdict:
    """Count one more request of ``who`` under ``rule`` if it is allowed. Errors of Redis are handled here.

    ``limit`` replaces that of the setting ``RATE_LIMITS``; a rule without a limit allows everything. A costly request
    counts as several ``requests``, all or none of them; as the whole limit where that is smaller.
    """
    limit = limit or sunwi_settings.RATE_LIMITS[rule]
    if limit is None:
        return Verdict(True, 0, 0)
    key, requests = key_of(rule, who), min(requests, limit.requests)
    try:
        return _in_redis(page_cache_alias() if rule in FAIL_OPEN else "boards", key, limit, requests)
    except RedisRefused as error:  # a warning, because readiness reports only a Redis that is unavailable
        logger.warning("Redis refuses to count for the limit %s, so this process counts alone: %s", rule, error.detail)
    except Unavailable as error:
        logger.debug("The limit %s is counted by this process alone: %s", rule, error.detail)
    return Verdict(True, 0, 0) if rule in FAIL_OPEN else _local_windows.take(key, limit, clock.monotonic(), requests)


def throttle(rule: str, who: str | int, limit: Limit | None = None, requests: int = 1) -> None:
    """Raise ``RateLimited`` if ``who`` is over the limit of ``rule``; else count one more request, or as many."""
    verdict = allow(rule, who, limit, requests)
    if not verdict.allowed:
        logger.info("Over the limit of %s: %s", rule, key_of(rule, who))
        raise RateLimited(Message("Too many requests in a short time; try again a little later."), verdict.retry_after)


def key_of(rule: str, who: str | int) -> str:
    """The window's key in Redis. ``who`` may be untrusted input, so the key contains its hash."""
    return f"limit:{rule}:{blake2b(str(who).encode(errors='surrogatepass'), digest_size=16).hexdigest()}"


def reset_local() -> None:
    """Clear this process's local windows and reserved quota."""
    _local_windows.forget()
    _reserved.forget()


def reset() -> None:
    """As ``reset_local``, and drop connections: the next request connects anew."""
    reset_local()
    for alias in {"boards", page_cache_alias()}:
        client_of(alias).reset()


@cache
def client_of(alias: str) -> RedisClient:
    """A client of one of the two servers. It trusts any server: lost windows just start at zero."""
    options: dict[str, Any] = {
        "socket_timeout": TIMEOUT_SECONDS,
        "socket_connect_timeout": TIMEOUT_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "max_connections": 64,
    }
    return client_at(alias, **options)


def _in_redis(alias: str, key: str, limit: Limit, requests: int) -> Verdict:
    """Use a reserved request, or reserve some in Redis. Several at once are always counted there.

    Requests are counted when they are reserved but may be used later, so the window is longer by that time.
    """
    now = clock.monotonic()
    wanted = _reserved.use(key, limit, now) if requests == 1 else requests
    if not wanted:
        return Verdict(True, 0, 0)
    length = int((limit.seconds + limit.reserved_seconds) * 1_000_000)
    args: list[Argument] = [limit.requests, length, secrets.token_hex(4), requests, wanted]
    taken, remaining, wait_ms = client_of(alias).run(_script(), [key], args)
    if taken and requests == 1:
        _reserved.keep(key, limit, taken, now)
    return Verdict(taken > 0, remaining, wait_ms)


@cache
def _script() -> lua.Script:
    return lua.load(Path(__file__).parent / "scripts" / "window.lua")
