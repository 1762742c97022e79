"""System checks of `check --deploy`: Redis is persistent, the page cache is separate, clocks agree, proxies are set.

They run only with ``--deploy``, because they need running servers. An unavailable server is reported as information,
not as an error: an image may be checked without servers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import (
    CheckMessage,
    Error,
    Info,
    Tags,
    Warning,  # noqa: A004 - the name is Django's
    register,
)
from django.db import Error as SqlError
from django.utils.translation import gettext as _
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from foundation import clock
from foundation.conf import is_cluster, page_cache_alias, redis_address
from foundation.errors import Unavailable
from foundation.redis.addresses import kind_of
from foundation.redis.client import RedisAway
from foundation.redis.cluster import Cluster
from foundation.redis.sentinel import pool_of
from foundation.sunwi_settings import sunwi_settings

PATIENCE_SECONDS = 2.0


@register(Tags.database, deploy=True)
def boards_redis_keeps_what_it_has(
    app_configs: Sequence[AppConfig] | None,
    **_options: Any,
) -> list[CheckMessage]:
    """Check that the boards' Redis has an append-only file and never evicts."""
    try:
        infos = [client.info() for client in clients_of("boards")]
    except (RedisError, Unavailable) as error:
        why = getattr(error, "detail", error)
        return [Info(f"The boards' Redis can not be asked ({why}).", hint="Is REDIS_URL right?", id="sunwi.I001")]
    errors: list[CheckMessage] = []
    for info in infos:
        errors += [] if not kind_of(redis_address("boards")) else _check_failover(info)
        errors += _check_memory(info)
    return [each for nth, each in enumerate(errors) if each not in errors[:nth]]


def _check_memory(info: Mapping[str, Any]) -> Iterator[CheckMessage]:
    if str(info.get("aof_enabled")) != "1":
        hint = "Set `appendonly yes`, or a restart loses scores."
        yield Error("The boards' Redis does not write down what it has.", hint=hint, id="sunwi.E001")
    if (policy := info.get("maxmemory_policy", "unknown")) != "noeviction":
        hint = "Set `maxmemory-policy noeviction`, or boards vanish when memory is short."
        yield Error(f"The boards' Redis may evict: its policy is {policy}.", hint=hint, id="sunwi.E002")


def _check_failover(info: Mapping[str, Any]) -> Iterator[CheckMessage]:
    """A primary that may be replaced while it is cut off must not take scores that nobody else has."""
    if "min_slaves_good_slaves" not in info:
        hint = "Set `min-replicas-to-write 1`: a primary that is cut off would take scores that are lost."
        yield Warning("The boards' Redis takes writes without any replica.", hint=hint, id="sunwi.W004")
    if not int(info.get("connected_slaves", 0)):
        hint = "Start one, or see why it does not follow."
        yield Warning("The boards' Redis has no replica that could be promoted.", hint=hint, id="sunwi.W005")


@register(Tags.caches, deploy=True)
def page_cache_lives_elsewhere(
    app_configs: Sequence[AppConfig] | None,
    **_options: Any,
) -> list[CheckMessage]:
    """Check that the page cache is on another Redis server than the boards, or in another database of it."""
    if page_cache_alias() == "boards" or is_cluster():  # then Django's cache is no Redis, or boards are no database
        return []
    try:
        boards, pages = _database("boards"), _database("default")
    except (RedisError, ValueError) as error:
        return [Info(f"The page cache can not be asked ({error}).", hint="Is CACHE_URL right?", id="sunwi.I002")]
    if boards != pages:
        return []
    hint = "Give CACHE_URL another server, or at least another database number: clearing the cache would clear boards."
    return [Error("The page cache lives in the boards' own database.", hint=hint, id="sunwi.E003")]


@register(Tags.database, deploy=True)
def clocks_agree(
    app_configs: Sequence[AppConfig] | None,
    **_options: Any,
) -> list[CheckMessage]:
    """Compare this machine's clock with SQL's: a process whose clock is off takes no submissions."""
    if clock.is_fast():
        hint = "Unset FAST_CLOCK: it is for rehearsals and tests."
        return [Error("This process lives by a fast clock.", hint=hint, id="sunwi.E005")]
    try:
        off = clock.offset_from_sql()
    except SqlError as error:
        return [Info(f"SQL can not be asked for its time ({error}).", hint="Is DATABASE_URL right?", id="sunwi.I003")]
    if not clock.is_off(off):
        return []
    hint = "Correct the time service of this machine, or of the one with SQL: submissions would be refused."
    return [Error(f"This machine's clock is {off.total_seconds():+.1f} s off SQL's.", hint=hint, id="sunwi.E004")]


@register(Tags.security, deploy=True)
def proxies_are_counted(
    app_configs: Sequence[AppConfig] | None,
    **_options: Any,
) -> list[CheckMessage]:
    """Check TRUSTED_PROXIES: if a proxy is not counted, all clients have its address and share one rate limit."""
    is_behind_proxy = getattr(settings, "SECURE_PROXY_SSL_HEADER", None) is not None
    if not is_behind_proxy or sunwi_settings.TRUSTED_PROXIES > 0:
        return []
    hint = "Set TRUSTED_PROXIES to how many proxies a request comes through."
    return [Warning("The site is behind a proxy, and takes its address for the clients'.", hint=hint, id="sunwi.W001")]


def client_of(alias: str) -> Redis:
    """Connect to a Redis directly: the boards' client would query SQL, which may be unavailable or not migrated.

    It waits for ``PATIENCE_SECONDS`` and does not retry.
    """
    timeouts = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": PATIENCE_SECONDS}
    pool = pool_of(redis_address(alias), retry=Retry(NoBackoff(), 0), **timeouts)
    return Redis.from_pool(pool)


def clients_of(alias: str) -> Iterator[Redis]:
    """Connect to each server in turn, as ``client_of`` does. Raises ``RedisAway`` if no node of a cluster answers."""
    if not is_cluster() or alias != "boards":
        with client_of(alias) as client:
            yield client
        return
    timeouts = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": PATIENCE_SECONDS}
    for server in Cluster(redis_address(alias), None, retry=Retry(NoBackoff(), 0), **timeouts).servers():
        with Redis.from_pool(server.pool) as client:
            yield client


def expect_redis() -> None:
    """Ping the boards' Redis once, before a management command begins; of a cluster until one answers.

    Raises ``RedisAway``.
    """
    error: Exception | None = None
    try:
        for client in clients_of("boards"):
            error = _silence_of(client)
            if error is None:
                return
    except RedisAway as away:
        error = away
    if error is not None:
        message = getattr(error, "detail", str(error)).partition("\n")[0]
        told = {"seconds": f"{PATIENCE_SECONDS:.0f}", "error": message}
        text = (
            _("Redis is away: asked once, it did not answer within %(seconds)s s (%(error)s). See that it runs.") % told
        )
        raise RedisAway(text) from error


def _silence_of(client: Redis) -> RedisError | None:
    """The error of a server that does not answer."""
    try:
        client.ping()
    except RedisError as error:
        return error
    return None


def _database(alias: str) -> tuple[str, int]:
    """The run_id of the server at this cache's address, and the database number."""
    with client_of(alias) as client:
        return client.info("server")["run_id"], int(client.connection_pool.connection_kwargs.get("db") or 0)
