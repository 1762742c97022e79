"""The foundation's Celery tasks: finding due work, the heartbeat, webhooks, and retention."""

from celery import current_app, shared_task

from foundation import clock
from foundation.audit import retention as audit
from foundation.db.back_off import BackOff
from foundation.db.resilience import SqlAway
from foundation.errors import Unavailable
from foundation.models import Heartbeat
from foundation.redis import client as redis
from foundation.security import key_restrictions, nonces
from foundation.webhooks import dispatch
from foundation.webhooks import retention as upkeep
from foundation.worker.due import find_due_work
from foundation.worker.each import run_each
from foundation.worker.urgent import URGENT

WORKER = "worker"
REDIS = "redis"  # the heartbeat of the boards' Redis: the last time that it answered the worker

_back_off = BackOff()


@shared_task
def look() -> list[str]:
    """Send the tasks that have work to do, each second; return their names. While SQL is unavailable, back off."""
    try:
        names = _back_off.attempt(find_due_work)
    except SqlAway:
        return []
    for name in names:
        current_app.send_task(name, **URGENT)
    return names


@shared_task
def heartbeat() -> None:
    """Record that beat and the worker are alive, and whether Redis answers; readiness and the admin read it."""
    Heartbeat.note(WORKER, clock.now(), clock.offset_from_sql())
    try:
        for server in redis.boards().each_server():
            server.call("PING")
    except Unavailable:
        return
    Heartbeat.note(REDIS, clock.now())


@shared_task
def deliver_webhooks() -> int:
    """Send the webhook messages that are due; return how many arrived."""
    return dispatch.deliver_due(clock.trusted_now())


@shared_task
def retain_webhooks() -> int:
    """Delete webhook messages that were delivered or dropped long ago; return how many."""
    return upkeep.retain(clock.trusted_now())


@shared_task
def retain_audit() -> int:
    """Delete audit entries past their retention; return how many."""
    return audit.retain(clock.trusted_now())


@shared_task
def retain_signatures() -> list[int]:
    """Delete expired nonces, and signing secrets past their rotation; return both counts."""
    at = clock.trusted_now()
    return run_each(lambda: nonces.forget_old(at), lambda: key_restrictions.forget_previous(at))
