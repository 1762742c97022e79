"""The checks of ``manage.py doctor``, one function each, which yield findings: a line of text and a state.

The checks change nothing. A check that raises becomes a red finding, so that it does not hide the others. If SQL or
Redis is away, only the first check that needs it waits for it; the others are skipped: neither right nor wrong. Details
are in the language of the reader: English in the terminal.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from foundation import clock
from foundation.conf import is_cluster, page_cache_alias
from foundation.errors import SunwiError
from foundation.models import DeadLetter, Heartbeat, KnownRedis
from foundation.monitoring.checks import client_of, expect_redis
from foundation.monitoring.health import SILENT_AFTER, registered_problems
from foundation.redis import client as redis
from foundation.redis.client import RedisAway, RedisSilent
from foundation.redis.info import identity_of, is_full, read_info
from foundation.sunwi_settings import sunwi_settings
from foundation.sync.redis_state import CorruptRedisKey
from foundation.tasks import WORKER
from leaderboards.management.boundary import describe_boundary
from leaderboards.management.dynamodb_checks import dynamodb_table
from leaderboards.management.findings import Finding, State, found
from leaderboards.management.own_tables_checks import own_tables
from leaderboards.management.replica_checks import replica_servers
from leaderboards.management.score_range_checks import score_ranges
from leaderboards.models import ACTIVE_STATES, IN_REDIS, Board, Period, Storage
from leaderboards.selectors.catalog.parts import parts_of
from leaderboards.selectors.monitoring import lag
from leaderboards.selectors.monitoring.histograms import histograms_taken
from leaderboards.selectors.monitoring.resync_progress import describe_resync
from leaderboards.stores.redis.sync import ZsetSync

logger = logging.getLogger(__name__)

Check = Callable[[datetime], Iterator[Finding]]


def run_checks(at: datetime, without: Collection[str] = ()) -> Iterator[Finding]:
    """Run every check but those named in ``without``, in the order in which an operator should repair things."""
    is_redis_away = is_sql_away = False
    for name, check in CHECKS.items():
        if name in without or (check is replica_servers and not sunwi_settings.REPLICA_STALENESS):
            continue
        if is_sql_away and check not in WITHOUT_SQL:
            yield _skipped_without_sql(name)
            continue
        if is_redis_away and check in NEEDS_REDIS:
            yield Finding(State.SKIPPED, name, _("skipped, because Redis is away"))
            continue
        try:
            yield from check(at)
        except SunwiError as error:
            is_redis_away |= isinstance(error, (RedisAway, RedisSilent))
            yield Finding(State.RED, name, error.detail)
        except (DatabaseError, RedisError, OSError) as error:
            is_sql_away |= check is sql
            said = str(error).partition("\n")[0]
            yield Finding(State.RED, name, _("does not answer: %(error)s") % {"error": said})
        except Exception:  # the page and the command that show what is wrong must survive any check
            logger.exception("The check %s failed", name)
            yield Finding(State.RED, name, _("the check itself failed; its error is in the log"))


def _skipped_without_sql(name: str) -> Finding:
    return Finding(State.SKIPPED, name, _("skipped, because SQL is away"))


def sql(_at: datetime) -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    yield Finding(State.OK, "SQL", _("%(server)s answers") % {"server": connection.vendor})


def migrations(_at: datetime) -> Iterator[Finding]:
    executor = MigrationExecutor(connection)
    missing = [str(migration) for migration, _backwards in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    detail = _("missing: %(names)s; run migrate") % {"names": ", ".join(missing)} if missing else _("all applied")
    yield found(bool(missing), "migrations", detail)


def sql_clock(_at: datetime) -> Iterator[Finding]:
    """Compare this machine's clock with SQL's; on SQLite they are the same."""
    off = clock.offset_from_sql()
    told = {"off": f"{off.total_seconds():+.3f}", "tolerated": clock.TOLERATED.seconds}
    detail = _("%(off)s s off SQL's; %(tolerated)s s are tolerated") % told
    yield found(clock.is_off(off), "clock", detail)


def redis_server(_at: datetime) -> Iterator[Finding]:
    """Check that Redis answers, is registered in SQL, persists its data, evicts nothing and has free memory."""
    expect_redis()
    client = redis.resync_client()
    client.reset()
    for server in client.each_server():
        try:
            yield from _one_server(server)
        except (RedisAway, RedisSilent) as error:
            if server is client:
                raise
            yield Finding(State.RED, server.label, error.detail)
    if missing := client.missing_slots():
        detail = _("%(count)s have no server: the boards in them are read from SQL") % {"count": missing}
        yield Finding(State.RED, "slots", detail)


def _one_server(client: redis.RedisClient) -> Iterator[Finding]:
    info = read_info(client.call("INFO"))
    server = f"{info.get('server_name', 'redis')} {info.get('redis_version', '?')}"
    yield Finding(State.OK, client.label, _("%(server)s answers") % {"server": server})
    if client.label != "Redis":
        replicas = int(info.get("connected_slaves", 0))
        detail = _("%(count)s connected") if replicas else _("none: nobody can be promoted if the primary fails")
        yield found(not replicas, "replicas", detail % {"count": replicas} if replicas else detail)
    yield _registered(identity_of(info))
    has_aof = info.get("aof_enabled") == "1"
    aof = _("yes") if has_aof else _("no: set `appendonly yes`, or a restart loses scores")
    yield found(not has_aof, "appendonly", aof)
    policy = info.get("maxmemory_policy", "unknown")
    may_evict = policy != "noeviction"
    evicts = _("%(policy)s: set `noeviction`, or boards vanish") % {"policy": policy}
    yield found(may_evict, "maxmemory-policy", evicts if may_evict else policy)
    has_no_memory = is_full(info)
    sizes = {"used": info.get("used_memory_human"), "most": info.get("maxmemory_human")}
    full = _("%(used)s used, maxmemory %(most)s: full, and writes are refused")
    yield found(has_no_memory, "memory", (full if has_no_memory else _("%(used)s used, maxmemory %(most)s")) % sizes)


def _registered(identity: str) -> Finding:
    try:
        is_known = KnownRedis.is_known(identity)
    except DatabaseError:
        return _skipped_without_sql("Redis known")
    known = _("SQL knows it") if is_known else _("SQL does not know it yet: the worker's resync registers it")
    return found(not is_known, "Redis known", known)


def page_cache(_at: datetime) -> Iterator[Finding]:
    """Check that the page cache is no Redis, another server than the boards', or another database of it."""
    if page_cache_alias() == "boards":  # then Django's cache is no Redis
        backend = settings.CACHES["default"]["BACKEND"].rpartition(".")[2]
        detail = _("Django's own cache (%(backend)s), not Redis") % {"backend": backend}
        yield Finding(State.OK, "page cache", detail)
        return
    if is_cluster():  # a cluster is no page cache
        yield Finding(State.OK, "page cache", _("a server of its own"))
        return
    try:
        boards, cache = (_database("boards"), _database("default"))
    except RedisError:
        yield Finding(State.WAITING, "page cache", _("away; pages are slower"))
        return
    if boards == cache:
        yield Finding(State.RED, "page cache", _("in the boards' own database: give CACHE_URL another server"))
    else:
        detail = _("a database of the boards' server") if boards[0] == cache[0] else _("a server of its own")
        yield Finding(State.OK, "page cache", detail)


def worker(at: datetime) -> Iterator[Finding]:
    is_alive, detail = _worker(at)
    yield found(not is_alive, "worker", detail)
    off = Heartbeat.clock_offset_of(WORKER)
    seconds = {"off": f"{off.total_seconds():+.3f}"}
    detail = _("%(off)s s off SQL's when it last gave a sign of life") % seconds
    yield found(clock.is_off(off), "the worker's clock", detail)


def unmirrored(_at: datetime) -> Iterator[Finding]:
    """Count standings that only Redis has. A busy board always has some; red only if the mirror is late too."""
    periods = Period.objects.filter(board__storage=Storage.REDIS, state__in=ACTIVE_STATES)
    store = ZsetSync(redis.resync_client())
    parts = parts_of(periods.select_related("board"))
    waiting = sum(store.dirty(part, 1)[0] for part in parts if part.stale_since is None)
    age = lag.mirror_age()
    is_red = waiting > 0 and (age is None or age > lag.MIRRORED_EVERY)
    seconds = f"{age.total_seconds():.1f}" if age else "0"
    last = _("%(count)s; never copied to SQL") if age is None else _("%(count)s; last copied to SQL %(seconds)s s ago")
    yield found(is_red, "unmirrored standings", last % {"count": f"{waiting:,}", "seconds": seconds})


def stale_periods(at: datetime) -> Iterator[Finding]:
    """List stale periods. One may be stale for seconds, which is waiting; red after ``lag.RESYNCED_WITHIN``."""
    living = Period.objects.filter(state__in=ACTIVE_STATES)
    stale = living.filter(stale_since__isnull=False).select_related("board").order_by("stale_since")
    for period in stale:
        since = at - (period.stale_since or at)
        detail = _(
            "%(progress)s; the worker resyncs it within seconds: see that it runs and what its log says, "
            "or run rebuild --board %(board)s"
        ) % {"progress": describe_resync(period), "board": period.board_id}
        state = State.RED if since > lag.RESYNCED_WITHIN else State.WAITING
        yield Finding(state, f"stale period {period}", detail)
    if not stale:
        yield Finding(State.OK, "stale periods", _("none"))


def corrupt_sync_states(_at: datetime) -> Iterator[Finding]:
    """Find Redis keys with invalid values, which block the resync and new scores of a period until repaired by hand."""
    store, corrupt = ZsetSync(redis.resync_client()), 0
    living = Period.objects.filter(state__in=ACTIVE_STATES, board__storage__in=IN_REDIS).select_related("board")
    for part in parts_of(living.order_by("pk")):
        try:
            store.read_state(part)
        except CorruptRedisKey as error:
            corrupt += 1
            todo = _("Then run rebuild --board %(board)s.") % {"board": part.board_id}
            yield Finding(State.RED, f"sync state of period {part}", f"{error.detail} {todo}")
    if not corrupt:
        yield Finding(State.OK, "sync states", _("all readable"))


def dead_letters(_at: datetime) -> Iterator[Finding]:
    count = DeadLetter.objects.filter(resolved_at=None).count()
    detail = _("%(count)s open: edit, retry or drop them") % {"count": f"{count:,}"} if count else _("none open")
    yield found(count > 0, "dead letters", detail)


def differences(_at: datetime) -> Iterator[Finding]:
    count = lag.unrepaired().count()
    detail = _("%(count)s left: run verify --repair") % {"count": f"{count:,}"} if count else _("none left")
    yield found(count > 0, "differences", detail)


def histograms(at: datetime) -> Iterator[Finding]:
    """Tell the age of the oldest histogram; red for each that several runs should have replaced."""
    taken = histograms_taken()
    for row in (late := [row for row in taken if row.is_late(at)]):
        detail = _("taken %(seconds)s s ago: see that the worker runs, and what its log says")
        yield Finding(State.RED, f"histogram of period {row.period}", detail % {"seconds": row.age_seconds(at)})
    if not taken:
        yield Finding(State.OK, "histograms", _("none: running periods with fewer players need none"))
    elif not late:
        detail = _("the oldest was taken %(seconds)s s ago") % {"seconds": taken[0].age_seconds(at)}
        yield Finding(State.OK, "histograms", detail)


def other_problems(_at: datetime) -> Iterator[Finding]:
    """Tell what /readyz tells besides: each sentence of a registered check that has no check of its own here."""
    problem = ""
    for problem in registered_problems(without=TOLD_ALREADY):
        yield Finding(State.RED, "other problems", problem)
    if not problem:
        yield Finding(State.OK, "other problems", _("none"))


def boundaries(at: datetime) -> Iterator[Finding]:
    for board in Board.objects.order_by("seq"):
        yield Finding(State.OK, f"board {board.seq}", f"{board.name}: {describe_boundary(board, at)}")


CHECKS: dict[str, Check] = {
    "SQL": sql,
    "migrations": migrations,
    "own tables": own_tables,
    "clock": sql_clock,
    "Redis": redis_server,
    "read replicas": replica_servers,
    "page cache": page_cache,
    "DynamoDB": dynamodb_table,
    "worker": worker,
    "unmirrored standings": unmirrored,
    "stale periods": stale_periods,
    "sync states": corrupt_sync_states,
    "dead letters": dead_letters,
    "differences": differences,
    "histograms": histograms,
    "score ranges": score_ranges,
    "other problems": other_problems,
    "boards": boundaries,
}
TOLD_ALREADY = (lag.describe_mirror, lag.describe_stale, lag.describe_unrepaired)
WITHOUT_SQL = (redis_server, page_cache)
NEEDS_REDIS = (redis_server, replica_servers, page_cache, unmirrored, corrupt_sync_states)


def _database(alias: str) -> tuple[str, int]:
    """Return the run id of the Redis process behind a cache alias, and the number of its database."""
    with client_of(alias) as client:
        return client.info("server")["run_id"], int(client.connection_pool.connection_kwargs.get("db") or 0)


def _worker(at: datetime) -> tuple[bool, str]:
    silence = Heartbeat.silence(WORKER, at)
    if silence is None:
        return False, _("has never given a sign of life: start worker and beat")
    seconds = {"seconds": max(0, int(silence.total_seconds()))}
    return silence <= SILENT_AFTER, _("last sign of life %(seconds)s s ago") % seconds
