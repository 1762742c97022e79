"""The foundation's readings for ``/metrics``: servers, the worker, clocks, dead letters and webhooks."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import Error as SqlError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, Min

from foundation import clock
from foundation.errors import Unavailable
from foundation.models import DeadLetter, Heartbeat
from foundation.monitoring.readings import Reading
from foundation.monitoring.redis_answers import ask_each
from foundation.redis.replicas import look_at_each
from foundation.sunwi_settings import sunwi_settings
from foundation.tasks import WORKER
from foundation.webhooks.models import WebhookDelivery

UP = "1 where the server answers."


def servers() -> Iterator[Reading]:
    """Read whether SQL and Redis answer, and Redis's memory."""
    yield Reading("sunwi_up", UP, _sql_answers(), ("server", "sql"))
    try:
        infos = [answer.memory for answer in ask_each()]
    except (Unavailable, SqlError):
        infos = [None]
    yield Reading("sunwi_up", UP, int(None not in infos), ("server", "redis"))
    if None in infos:
        return
    for kind, name in (("used", "used_memory"), ("most", "maxmemory")):
        description = "Memory of the boards' Redis, of all its servers together; `most` is its maxmemory, 0 for none."
        total = sum(int(info.get(name, 0)) for info in infos if info)
        yield Reading("sunwi_redis_memory_bytes", description, total, ("kind", kind))


def replicas_read() -> Iterator[Reading]:
    """Read how old the answers of each replica are that pages may come from."""
    for each in look_at_each() if sunwi_settings.REPLICA_STALENESS else ():
        description = "How old the answers of a replica that pages are read from are at most; -1: it is not read from."
        age = -1 if each.age is None else each.age
        if not each.name:
            continue
        yield Reading("sunwi_replica_age_seconds", description, age, ("replica", each.name))


def upkeep() -> Iterator[Reading]:
    """Read the state of the worker, clocks, dead letters and webhooks."""
    at = clock.now()
    description = "Since the worker's last sign of life; before the first one since the tables were made."
    yield Reading("sunwi_worker_heartbeat_age_seconds", description, _silence(at).total_seconds())
    clocks = {"process": clock.offset_from_sql(), "worker": Heartbeat.clock_offset_of(WORKER)}
    for whose, off in clocks.items():
        description = "How far a clock is ahead of SQL's."
        yield Reading("sunwi_clock_offset_seconds", description, off.total_seconds(), ("whose", whose))
    yield Reading("sunwi_dead_letters", "Dead letters that are open.", _count_open_letters())
    yield from _webhooks(at)


def _silence(at: datetime) -> timedelta:
    """A worker that never ran is silent since the first migration: without a number no rule could tell of it."""
    silence = Heartbeat.silence(WORKER, at)
    if silence is None:
        made = MigrationRecorder.Migration.objects.filter(app="foundation").aggregate(first=Min("applied"))["first"]
        silence = at - made if made else timedelta()
    return silence


def _sql_answers() -> int:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except SqlError:
        return 0
    return 1


def _count_open_letters() -> int:
    return DeadLetter.objects.filter(resolved_at=None).count()


def _webhooks(at: datetime) -> Iterator[Reading]:
    rows = WebhookDelivery.objects.filter(next_try_at__isnull=False, endpoint__disabled_at=None)
    waiting = rows.aggregate(count=Count("pk"), first=Min("next_try_at"))
    dead = WebhookDelivery.objects.filter(dead_at__isnull=False).count()
    for state, count in (("waiting", waiting["count"]), ("dead", dead)):
        yield Reading("sunwi_webhooks", "Webhook messages that wait, or were given up.", count, ("state", state))
    description = "For how long the webhook message that is due longest has waited for its try."
    yield Reading("sunwi_webhooks_overdue_seconds", description, overdue(waiting["first"], at))


def overdue(due: datetime | None, at: datetime) -> float:
    """Seconds since ``due``; 0 if it is None or in the future."""
    return max(0.0, (at - due).total_seconds()) if due else 0.0
