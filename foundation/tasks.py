"""The foundation's own task: a sign of life."""

from celery import shared_task

from foundation import clock
from foundation.models import Heartbeat

WORKER = "worker"


@shared_task
def heartbeat() -> None:
    """The worker and beat are alive: readiness looks for this."""
    Heartbeat.note(WORKER, clock.now())
