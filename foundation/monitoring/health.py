"""Readiness: whether this process can serve, and a list of problems, one sentence each.

The foundation checks SQL, Redis, the worker, the clocks and dead letters. Other apps add checks, such as lag, with
``register_check``.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db import Error as SqlError
from django.db import connection
from django.db.models import Count, Min

from foundation import clock
from foundation.errors import Unavailable
from foundation.models import DeadLetter, Heartbeat
from foundation.monitoring.redis_answers import ask_each
from foundation.redis.info import is_full
from foundation.redis.replicas import look_at_each
from foundation.sunwi_settings import sunwi_settings
from foundation.tasks import WORKER

logger = logging.getLogger(__name__)

SILENT_AFTER = timedelta(seconds=45)
AWAY = "is away: standings are read from SQL, boards that Redis decides over take no scores"
UNKNOWN = (
    "answers, but SQL does not know it yet: the worker registers it; until then standings are read from SQL, boards "
    "that Redis decides over take no scores"
)

Check = Callable[[], list[str]]
_checks: list[Check] = []


@dataclass(frozen=True, slots=True)
class Readiness:
    """``can_serve`` is true while SQL or Redis answers; ``degraded`` lists the problems."""

    can_serve: bool
    degraded: list[str]


def register_check(check: Check) -> None:
    """Register a function that returns problems; it is called while SQL answers. Registering twice has no effect."""
    if check not in _checks:
        _checks.append(check)


def registered_problems(without: Collection[Check] = ()) -> Iterator[str]:
    """What the registered checks say, but those in ``without``; asks SQL."""
    for check in _checks:
        if check not in without:
            yield from check()


def readiness() -> Readiness:
    """Check everything now."""
    has_redis, degraded = _check_redis()
    try:
        degraded += _check_sql()
    except SqlError as error:
        logger.warning("SQL is away: %s", error)
        return Readiness(has_redis, ["SQL is away", *degraded])
    return Readiness(True, degraded)


def _check_redis() -> tuple[bool, list[str]]:
    try:
        answers = ask_each()
    except Unavailable:
        return False, [f"Redis {AWAY}"]
    answered, problems = False, list[str]()
    for answer in answers:
        answered |= answer.is_used
        if answer.is_unknown:
            problems.append(f"{answer.label} {UNKNOWN}")
        elif not answer.is_used:
            problems.append(f"{answer.label} {AWAY}")
        elif answer.memory is not None and is_full(answer.memory):
            problems.append(f"{answer.label} is full: boards that Redis decides over take no scores")
    return answered, [*problems, *replica_problems()]


def replica_problems() -> list[str]:
    """What keeps replicas from being read, where they are to be; pages come from the primaries meanwhile."""
    if not sunwi_settings.REPLICA_STALENESS:
        return []
    try:
        seen = look_at_each()
    except (Unavailable, SqlError):
        return []  # that Redis is away is said already
    return [
        f"the replica at {each.name} is not read from: {each.problem}"
        if each.name
        else f"pages come from the primary {each.primary}: {each.problem}"
        for each in seen
        if each.problem
    ]


def _check_sql() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return [*_check_worker(), *_check_clocks(), *_check_dead_letters(), *registered_problems()]


def _check_worker() -> list[str]:
    silence = Heartbeat.silence(WORKER, clock.now())
    if silence is None:
        return ["the worker has never given a sign of life"]
    return [f"no sign of life from the worker for {silence.total_seconds():.0f} s"] if silence > SILENT_AFTER else []


def _check_dead_letters() -> list[str]:
    dead = DeadLetter.objects.filter(resolved_at=None).aggregate(count=Count("pk"), first=Min("created_at"))
    return [f"open dead letters: {dead['count']}, the first since {dead['first']:%F %R} UTC"] if dead["count"] else []


def _check_clocks() -> list[str]:
    clocks = {"this process's clock": clock.offset_from_sql(), "the worker's clock": Heartbeat.clock_offset_of(WORKER)}
    return [f"{whose} is {off.total_seconds():+.1f} s off SQL's" for whose, off in clocks.items() if clock.is_off(off)]
