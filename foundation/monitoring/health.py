"""Whether this process can serve, and what is not as it should be.

The foundation knows its servers, its worker and its clock. What an app knows of itself (lag, work that
is due) it adds with ``register_check``. Each reason is one sentence; none means that all is well.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import Error as SqlError
from django.db import connection
from django.db.models import Count, Min

from foundation import clock
from foundation.errors import Unavailable
from foundation.models import DeadLetter, Heartbeat
from foundation.redis import client as redis
from foundation.redis.info import is_full, read_info
from foundation.tasks import WORKER

logger = logging.getLogger(__name__)

SILENT_AFTER = timedelta(seconds=45)

Reasons = Callable[[], list[str]]
_more: list[Reasons] = []


@dataclass(frozen=True, slots=True)
class Readiness:
    """``can_serve`` while SQL or Redis answers."""

    can_serve: bool
    degraded: list[str]


def register_check(reasons: Reasons) -> None:
    """Have ``reasons`` asked too, while SQL answers. Asking twice for the same changes nothing."""
    if reasons not in _more:
        _more.append(reasons)


def readiness() -> Readiness:
    """How things are now."""
    has_redis, degraded = _asked_of_redis()
    try:
        degraded += _asked_of_sql()
    except SqlError as error:
        logger.warning("SQL is away: %s", error)
        return Readiness(has_redis, ["SQL is away", *degraded])
    return Readiness(True, degraded)


def _asked_of_redis() -> tuple[bool, list[str]]:
    try:
        info = redis.boards().call("INFO", "memory", read=read_info)
    except (Unavailable, SqlError):
        return False, ["Redis is away: standings are read from SQL, boards that Redis decides over take no scores"]
    return True, ["Redis is full: boards that Redis decides over take no scores"] if is_full(info) else []


def _asked_of_sql() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    reasons = [*_worker(), *_clock(), *_dead_letters()]
    for more in _more:
        reasons += more()
    return reasons


def _worker() -> list[str]:
    silence = Heartbeat.silence(WORKER, clock.now())
    if silence is None:
        return ["the worker has never given a sign of life"]
    return [f"no sign of life from the worker for {silence.total_seconds():.0f} s"] if silence > SILENT_AFTER else []


def _dead_letters() -> list[str]:
    dead = DeadLetter.objects.filter(resolved_at=None).aggregate(count=Count("pk"), first=Min("created_at"))
    return [f"open dead letters: {dead['count']}, the first since {dead['first']:%F %R} UTC"] if dead["count"] else []


def _clock() -> list[str]:
    clocks = {"this process's clock": clock.offset_from_sql(), "the worker's clock": Heartbeat.clock_offset_of(WORKER)}
    return [f"{whose} is {off.total_seconds():+.1f} s off SQL's" for whose, off in clocks.items() if clock.is_off(off)]
