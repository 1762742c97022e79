"""Troubles: what is wrong now, by the rules of ``/readyz``, since when, for which boards, and what still works.

Dead letters, webhooks and differences are not troubles but waiting work (``needs``), because nothing stops meanwhile.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import Error as SqlError
from django.db.models import Count, Min, Q

from foundation import clock
from foundation.errors import Unavailable
from foundation.models import Heartbeat
from foundation.monitoring.health import SILENT_AFTER
from foundation.redis import client as redis
from foundation.redis.client import UnknownRedis
from foundation.redis.info import is_full, read_info
from foundation.tasks import REDIS, WORKER
from leaderboards.models import ACTIVE_STATES, Board, Period, Storage
from leaderboards.selectors.monitoring.lag import CLOSED_WITHIN, MIRRORED_EVERY, RESYNCED_WITHIN, mirror_age, unclosed

MOST_BOARDS = 50


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is wrong. ``since`` is None if unknown.

    ``boards`` names the affected boards, ``works`` those that still work, at most ``MOST_BOARDS`` each.
    """

    code: str
    since: datetime | None = None
    boards: Sequence[str] = ()
    works: Sequence[str] = ()
    count: int = 0
    seconds: float = 0.0
    grave: bool = True


@dataclass(slots=True)
class RedisSeen:
    """The last answer of Redis to this process, and the code of its last refusal."""

    answered_at: datetime | None = None
    refusal: str = "redis_away"
    used: int = 0
    most: int = 0
    milliseconds: float | None = field(default=None)


seen = RedisSeen()


def _redis(at: datetime) -> Iterator[Trouble]:
    """Check that the boards' Redis answers and has free memory."""
    started_at = clock.monotonic()
    try:
        infos = [each.call("INFO", "memory", read=read_info) for each in redis.boards().each_server()]
    except (Unavailable, SqlError) as error:
        seen.milliseconds = None
        if isinstance(error.__cause__, UnknownRedis):
            seen.refusal = "redis_unknown"
        yield Trouble(seen.refusal, _last_answer(), *_boards_by_redis())
        return
    seen.milliseconds = 1000 * (clock.monotonic() - started_at)
    seen.answered_at, seen.refusal = at, "redis_away"
    seen.used, seen.most = (sum(int(info.get(name, 0)) for info in infos) for name in ("used_memory", "maxmemory"))
    if any(map(is_full, infos)):
        yield Trouble("redis_full", None, *_boards_by_redis())


def _last_answer() -> datetime | None:
    """Return when Redis last answered this process or the worker."""
    noted = Heartbeat.objects.filter(name=REDIS).values_list("beat_at", flat=True).first()
    return max(filter(None, (seen.answered_at, noted)), default=None)


def _boards_by_redis() -> tuple[list[str], list[str]]:
    """Return the names of the boards that take no scores without Redis, and of the others."""
    used = Board.objects.filter(Q(retired_at=None) | Q(retired_at__gt=clock.now())).order_by("seq")
    named = list(used.values_list("name", "storage")[: 2 * MOST_BOARDS])
    stopped = [name for name, storage in named if storage == Storage.REDIS]
    return stopped[:MOST_BOARDS], [name for name, storage in named if storage != Storage.REDIS][:MOST_BOARDS]


def _worker(at: datetime) -> Iterator[Trouble]:
    silence = Heartbeat.silence(WORKER, at)
    if silence is None:
        yield Trouble("worker_never")
    elif silence > SILENT_AFTER:
        yield Trouble("worker_silent", at - silence, seconds=silence.total_seconds())


def _clocks(_at: datetime) -> Iterator[Trouble]:
    for code, off in (("clock_off", clock.offset_from_sql()), ("worker_clock_off", Heartbeat.clock_offset_of(WORKER))):
        if clock.is_off(off):
            yield Trouble(code, seconds=off.total_seconds())


def _stale(at: datetime) -> Iterator[Trouble]:
    late = Period.objects.filter(state__in=ACTIVE_STATES, stale_since__lt=at - RESYNCED_WITHIN)
    totals = late.aggregate(count=Count("pk"), first=Min("stale_since"))
    if totals["count"]:
        names = late.order_by("stale_since").values_list("board__name", flat=True)[:MOST_BOARDS]
        yield Trouble("stale", totals["first"], list(dict.fromkeys(names)), count=totals["count"], grave=False)


def _unmirrored(at: datetime) -> Iterator[Trouble]:
    living = Period.objects.filter(board__storage=Storage.REDIS, state__in=ACTIVE_STATES)
    names = list(dict.fromkeys(living.order_by("pk").values_list("board__name", flat=True)[:MOST_BOARDS]))
    silence = mirror_age() if names else timedelta()
    if silence is None:
        yield Trouble("never_mirrored", None, names)
    elif silence > MIRRORED_EVERY:
        yield Trouble("mirror_late", at - silence, names, seconds=silence.total_seconds(), grave=False)


def _unclosed(at: datetime) -> Iterator[Trouble]:
    late = unclosed(at, CLOSED_WITHIN)
    if late:
        yield Trouble("unclosed", min(due for _, due in late), count=len(late), grave=False)


def is_redis_down(found: Sequence[Trouble]) -> bool:
    """Whether one of the troubles is that Redis is away, unknown or full."""
    return any(each.code.startswith("redis_") for each in found)


def without_consequences(found: Sequence[Trouble]) -> tuple[Trouble, ...]:
    """Return the troubles without a late mirror where Redis is away: it copies nothing then, and needs no act."""
    is_redis_away = any(each.code.startswith("redis_") and each.code != "redis_full" for each in found)
    return tuple(each for each in found if not (is_redis_away and each.code in ("mirror_late", "never_mirrored")))


# The most serious first.
CHECKS: tuple[Callable[[datetime], Iterator[Trouble]], ...] = (_redis, _worker, _clocks, _stale, _unmirrored, _unclosed)
