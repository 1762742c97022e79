"""Mails about accounts are sent by the worker, which also lets go what accounts leave behind."""

from celery import shared_task

from accounts.services.mails.outbox import send_due
from accounts.services.retention import blank_invitations, drop_former_emails, drop_sessions
from foundation import clock
from foundation.worker.each import run_each


@shared_task
def send_mails() -> int:
    """Send what waits, for a few seconds."""
    return send_due(clock.now())


@shared_task
def retain() -> list[int]:
    """Blank invitations that ended long ago, and let go addresses of before and sessions that are over."""
    at = clock.trusted_now()
    return run_each(lambda: blank_invitations(at), lambda: drop_former_emails(at), drop_sessions)
