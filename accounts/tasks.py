"""Mails about accounts are sent by the worker."""

from celery import shared_task

from accounts.services.mail import send_due
from foundation import clock


@shared_task
def send_mails() -> int:
    """Send what waits, for a few seconds."""
    return send_due(clock.now())
