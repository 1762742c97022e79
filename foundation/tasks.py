"""The foundation's own tasks: a sign of life, and webhooks."""

from celery import shared_task

from foundation import clock
from foundation.models import Heartbeat
from foundation.webhooks import sending, upkeep

WORKER = "worker"


@shared_task
def heartbeat() -> None:
    """The worker and beat are alive: readiness looks for this."""
    Heartbeat.note(WORKER, clock.now(), clock.offset_from_sql())


@shared_task
def deliver_webhooks() -> int:
    """Send the messages that are due."""
    return sending.deliver_due(clock.now())


@shared_task
def retain_webhooks() -> int:
    """Let go messages that were delivered or dropped long ago."""
    return upkeep.retain(clock.agreed())
