"""Letting go what accounts leave behind: whom invitations were for that nobody has an account by, addresses of before,
and old sessions.

Run twice, or by two at once, it goes on where it was.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from accounts.models import FormerEmail, Invitation
from accounts.session_store import SessionStore
from foundation.db.resilience import long_transaction

BATCH = 1000


def blank_invitations(at: datetime) -> int:
    """Blank address and note of those that ended KEEP_RECORDS_DAYS ago, unless there is an account by them; returns how
    many that were. The rows stay: they say who let whom in."""
    before = at - timedelta(days=settings.KEEP_RECORDS_DAYS)
    ended = Invitation.objects.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before), used_by=None)
    return ended.exclude(email="", note="").update(email="", note="")


def drop_former_emails(at: datetime) -> int:
    """Delete addresses of before that nobody can put back any more; returns how many."""
    return FormerEmail.objects.filter(until__lte=at).delete()[0]


def drop_sessions() -> int:
    """Delete those that are over by Django's clock, which gave them their end, in small batches; returns how many."""
    over = SessionStore.get_model_class().objects.filter(expire_date__lt=timezone.now()).order_by("expire_date")
    gone = 0
    while True:
        with long_transaction():
            batch = list(over.values_list("pk", flat=True)[:BATCH])
            if not batch:
                return gone
            gone += over.model.objects.filter(pk__in=batch, expire_date__lt=timezone.now()).delete()[0]
