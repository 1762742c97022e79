"""The checks of ``manage.py doctor``, one function each, which yield findings: a line of text, red or not.

The checks change nothing. A check that raises becomes a red finding, so that it does not hide the others. If Redis is
away, only the first check that needs it waits for it; the others are skipped.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from redis.exceptions import RedisError

from foundation import clock
from foundation.errors import SunwiError
from foundation.models import DeadLetter, Heartbeat, KnownRedis
from foundation.monitoring.checks import client_of, expect_redis
from foundation.monitoring.health import SILENT_AFTER
from foundation.redis import client as redis
from foundation.redis.client import RedisAway, RedisSilent
from foundation.redis.info import identity_of, is_full, read_info
from foundation.sync.redis_state import CorruptRedisKey
from foundation.tasks import WORKER
from leaderboards.core.periods import PeriodKind, latest_window, next_opening
from leaderboards.models import Board, Period, PeriodState, Storage
from leaderboards.selectors.monitoring.lag import MIRRORED_EVERY, RESYNCED_WITHIN, mirror_age, unrepaired
from leaderboards.selectors.monitoring.resync_progress import describe_resync
from leaderboards.stores.redis.sync import ZsetSync


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's output."""

    is_red: bool
    name: str
    detail: str


logger = logging.getLogger(__name__)

_NOT_FINAL = (PeriodState.OPEN, PeriodState.CLOSING)
Check = Callable[[datetime], Iterator[Finding]]


def run_checks(at: datetime, without: Collection[str] = ()) -> Iterator[Finding]:
    """Run every check but those named in ``without``, in the order in which an operator should repair things."""
    is_redis_away = False
    for name, check in CHECKS.items():
        if name in without:
            continue
        if is_redis_away and check in NEEDS_REDIS:
            yield Finding(True, name, "skipped, because Redis is away")
            continue
        try:
            yield from check(at)
        except SunwiError as error:
            is_redis_away |= isinstance(error, (RedisAway, RedisSilent))
            yield Finding(True, name, error.detail)
        except (DatabaseError, RedisError, OSError) as error:
            yield Finding(True, name, f"unavailable: {str(error).partition(chr(10))[0]}")
        except Exception:  # the page and the command that show what is wrong must survive any check
            logger.exception("The check %s failed", name)
            yield Finding(True, name, "the check itself failed; its error is in the log")


def sql(_at: datetime) -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    yield Finding(False, "SQL", f"{connection.vendor} answers")


def migrations(_at: datetime) -> Iterator[Finding]:
    executor = MigrationExecutor(connection)
    missing = [str(migration) for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    detail = f"missing: {', '.join(missing)}; run migrate" if missing else "all applied"
    yield Finding(bool(missing), "migrations", detail)


def sql_clock(_at: datetime) -> Iterator[Finding]:
    """Compare this machine's clock with SQL's; on SQLite they are the same."""
    off = clock.offset_from_sql()
    detail = f"{off.total_seconds():+.3f} s off SQL's; {clock.TOLERATED.seconds} s are tolerated"
    yield Finding(clock.is_off(off), "clock", detail)


def redis_server(_at: datetime) -> Iterator[Finding]:
    """Check that Redis answers, is registered in SQL, persists its data, evicts nothing and has free memory."""
    expect_redis()
    client = redis.resync_client()
    client.reset()
    info = read_info(client.call("INFO"))
    yield Finding(False, "Redis", f"{info.get('server_name', 'redis')} {info.get('redis_version', '?')} answers")
    is_known = KnownRedis.is_known(identity_of(info))
    known = "SQL knows it" if is_known else "SQL does not know it yet: the worker's settling makes it known"
    yield Finding(not is_known, "Redis known", known)
    has_aof = info.get("aof_enabled") == "1"
    aof = "yes" if has_aof else "no: set `appendonly yes`, or a restart loses scores"
    yield Finding(not has_aof, "appendonly", aof)
    policy = info.get("maxmemory_policy", "unknown")
    may_evict = policy != "noeviction"
    yield Finding(
        may_evict, "maxmemory-policy", f"{policy}: set `noeviction`, or boards vanish" if may_evict else policy
    )
    has_no_memory = is_full(info)
    used = f"{info.get('used_memory_human')} used, maxmemory {info.get('maxmemory_human')}"
    yield Finding(has_no_memory, "memory", f"{used}: full, and writes are refused" if has_no_memory else used)


def page_cache(_at: datetime) -> Iterator[Finding]:
    """Check that the page cache uses another server than the boards, or at least another database."""
    try:
        boards, cache = (_database("boards"), _database("default"))
    except RedisError:
        yield Finding(False, "page cache", "away; pages are slower")
        return
    if boards == cache:
        yield Finding(True, "page cache", "in the boards' own database: give CACHE_URL another server")
    else:
        is_shared = boards[0] == cache[0]
        yield Finding(False, "page cache", "a database of the boards' server" if is_shared else "a server of its own")


def worker(at: datetime) -> Iterator[Finding]:
    is_alive, detail = _worker(at)
    yield Finding(not is_alive, "worker", detail)
    off = Heartbeat.clock_offset_of(WORKER)
    detail = f"{off.total_seconds():+.3f} s off SQL's when it last gave a sign of life"
    yield Finding(clock.is_off(off), "the worker's clock", detail)


def unmirrored(_at: datetime) -> Iterator[Finding]:
    """Count standings that only Redis has. A busy board always has some; red only if the mirror is late too."""
    periods = Period.objects.filter(board__storage=Storage.REDIS, state__in=_NOT_FINAL)
    store = ZsetSync(redis.resync_client())
    waiting = sum(store.dirty(period, 1)[0] for period in periods.select_related("board") if period.stale_since is None)
    age = mirror_age()
    is_red = waiting > 0 and (age is None or age > MIRRORED_EVERY)
    last = "never copied to SQL" if age is None else f"last copied to SQL {age.total_seconds():.1f} s ago"
    yield Finding(is_red, "unmirrored standings", f"{waiting:,}; {last}")


def stale_periods(at: datetime) -> Iterator[Finding]:
    """List stale periods. One may be stale for seconds; red after ``RESYNCED_WITHIN``."""
    living = Period.objects.filter(state__in=_NOT_FINAL)
    stale = living.filter(stale_since__isnull=False).select_related("board").order_by("stale_since")
    for period in stale:
        since = at - (period.stale_since or at)
        todo = "the worker settles it within seconds: see that it runs and what its log says, or run rebuild"
        detail = f"{describe_resync(period)}; {todo} --board {period.board_id}"
        yield Finding(since > RESYNCED_WITHIN, f"stale period {period}", detail)
    if not stale:
        yield Finding(False, "stale periods", "none")


def corrupt_sync_states(_at: datetime) -> Iterator[Finding]:
    """Find Redis keys with invalid values, which block the resync and new scores of a period until repaired by hand."""
    store, corrupt = ZsetSync(redis.resync_client()), 0
    living = Period.objects.filter(state__in=_NOT_FINAL).exclude(board__storage=Storage.SQL).select_related("board")
    for period in living.order_by("pk"):
        try:
            store.read_state(period)
        except CorruptRedisKey as error:
            corrupt += 1
            todo = f"Then run rebuild --board {period.board_id}."
            yield Finding(True, f"sync state of period {period}", f"{error.detail} {todo}")
    if not corrupt:
        yield Finding(False, "sync states", "all readable")


def dead_letters(_at: datetime) -> Iterator[Finding]:
    count = DeadLetter.objects.filter(resolved_at=None).count()
    yield Finding(count > 0, "dead letters", f"{count:,} open: edit, retry or drop them" if count else "none open")


def differences(_at: datetime) -> Iterator[Finding]:
    count = unrepaired().count()
    yield Finding(count > 0, "differences", f"{count:,} left: run verify --repair" if count else "none left")


def boundaries(at: datetime) -> Iterator[Finding]:
    for board in Board.objects.order_by("seq"):
        yield Finding(False, f"board {board.seq}", f"{board.name}: {_boundary(board, at)}")


CHECKS: dict[str, Check] = {
    "SQL": sql,
    "migrations": migrations,
    "clock": sql_clock,
    "Redis": redis_server,
    "page cache": page_cache,
    "worker": worker,
    "unmirrored standings": unmirrored,
    "stale periods": stale_periods,
    "sync states": corrupt_sync_states,
    "dead letters": dead_letters,
    "differences": differences,
    "boards": boundaries,
}
NEEDS_REDIS = (redis_server, page_cache, unmirrored, corrupt_sync_states)


def _database(alias: str) -> tuple[str, int]:
    """Return the run id of the Redis process behind a cache alias, and the number of its database."""
    with client_of(alias) as client:
        return client.info("server")["run_id"], int(client.connection_pool.connection_kwargs.get("db") or 0)


def _worker(at: datetime) -> tuple[bool, str]:
    silence = Heartbeat.silence(WORKER, at)
    if silence is None:
        return False, "has never given a sign of life: start worker and beat"
    return silence <= SILENT_AFTER, f"last sign of life {max(0, int(silence.total_seconds()))} s ago"


def _boundary(board: Board, at: datetime) -> str:
    if board.retired_at and board.retired_at <= at:
        return f"retired since {board.retired_at:%Y-%m-%d %H:%M} UTC"
    if board.period in (PeriodKind.EVENT, PeriodKind.ALL_TIME):
        return "its competitions end by themselves" if board.is_event else "has no end"
    window, zone = latest_window(board.calendar, at), ZoneInfo(board.timezone)
    if not window.contains(at):
        opens_at = next_opening(board.calendar, at)
        if opens_at is None:
            return f"{window.label} has ended, and no window follows"
        return f"closed since {window.label} ended; opens {_local(opens_at, zone)}, in {_span(opens_at - at)}"
    ends_at = window.ends_at or at
    return f"{window.label} ends {_local(ends_at, zone)}, in {_span(ends_at - at)}"


def _local(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%a %d %b %Y %H:%M %Z}"


def _span(span: timedelta) -> str:
    return str(span).partition(".")[0]
