"""What is let go of the audit log: entries that were kept long enough, and what they say of somebody who is erased."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q

from foundation.audit.models import AuditEntry
from foundation.db.resilience import long_transaction

BATCH = 1000


def retain(at: datetime) -> int:
    """Delete entries of more than AUDIT_KEEP_DAYS ago, in small batches; returns how many went."""
    old = AuditEntry.objects.filter(at__lt=at - timedelta(days=settings.AUDIT_KEEP_DAYS)).order_by("at")
    gone = 0
    while True:
        with long_transaction():
            batch = list(old.values_list("pk", flat=True)[:BATCH])
            if not batch:
                return gone
            gone += AuditEntry.objects.filter(pk__in=batch).delete()[1].get("foundation.AuditEntry", 0)


def blank_entries_about(kind: str, key: object, own: Collection[str] = ()) -> int:
    """Empty what entries about a subject say: reasons, values and details. What was done and when stays; returns how
    many entries that were. Acts in ``own`` are the subject's own, so the name and address that go with them go too."""
    about = AuditEntry.objects.filter(subjects__kind=kind, subjects__key=str(key))
    numbers = about.values("pk")
    AuditEntry.objects.filter(pk__in=numbers, act__in=own).update(by=None, by_name="", address="")
    return AuditEntry.objects.filter(pk__in=numbers).update(reason="", before={}, after={}, note={})


def forget_addresses(account: int) -> None:
    """Empty where the account (by its number) acted from, and where others failed to sign in to it from. To be called
    in the transaction in which the account goes, while entries still point to it."""
    own = Q(by=account) | Q(by=None, by_name="", key_name="", subjects__kind="account", subjects__key=str(account))
    AuditEntry.objects.filter(pk__in=AuditEntry.objects.filter(own).exclude(address="").values("pk")).update(address="")


def forget_values(kind: str, key: object, names: Collection[str]) -> None:
    """Take the values of these names out of what entries about a subject say that was before and after; all else stays.
    To be called in the transaction in which the subject goes."""
    says = Q(before__has_any_keys=list(names)) | Q(after__has_any_keys=list(names))
    for entry in AuditEntry.objects.filter(says, subjects__kind=kind, subjects__key=str(key)):
        before, after = (
            {name: value for name, value in said.items() if name not in names} for said in (entry.before, entry.after)
        )
        AuditEntry.objects.filter(pk=entry.pk).update(before=before, after=after)
