"""Celery tasks of accounts: sending mails, and retention."""

from celery import shared_task

from accounts.services.mails.outbox import send_due
from accounts.services.retention import blank_invitations, drop_former_emails, drop_sessions
from foundation import clock
from foundation.worker.each import run_each


@shared_task
def send_mails() -> int:
    """Send due mails for a few seconds; return how many."""
    return send_due(clock.trusted_now())


@shared_task
def retain() -> list[int]:
    """Blank old invitations, and delete former addresses and expired sessions; return the three counts."""
    at = clock.trusted_now()
    return run_each(lambda: blank_invitations(at), lambda: drop_former_emails(at), drop_sessions)
