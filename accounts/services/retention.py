"""Deleting old data of accounts: recipients of unused invitations, former addresses, and expired sessions.

Safe to run twice, and concurrently.
"""

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from accounts.models import FormerEmail, Invitation
from accounts.session_store import SessionStore
from foundation.db.resilience import long_transaction
from foundation.sunwi_settings import sunwi_settings

BATCH = 1000


def blank_invitations(at: datetime) -> int:
    """Blank address and note of unused invitations that ended KEEP_RECORDS_DAYS ago; return how many.

    The rows stay as a record of who invited whom.
    """
    before = at - timedelta(days=sunwi_settings.KEEP_RECORDS_DAYS)
    ended = Invitation.objects.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before), used_by=None)
    return ended.exclude(email="", note="").update(email="", note="")


def drop_former_emails(at: datetime) -> int:
    """Delete former addresses that can no longer be restored; return how many."""
    return FormerEmail.objects.filter(until__lte=at).delete()[0]


def drop_sessions() -> int:
    """Delete expired sessions in small batches; return how many.

    The expiry was set by Django's clock (``timezone.now``), so it is compared with that.
    """
    expired = SessionStore.get_model_class().objects.filter(expire_date__lt=timezone.now()).order_by("expire_date")
    deleted = 0
    while True:
        with long_transaction():
            batch = list(expired.values_list("pk", flat=True)[:BATCH])
            if not batch:
                return deleted
            deleted += expired.model.objects.filter(pk__in=batch, expire_date__lt=timezone.now()).delete()[0]
