"""Deleting old audit entries, and erasing personal data from entries."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Q

from foundation.audit.models import AuditEntry
from foundation.db.resilience import long_transaction
from foundation.sunwi_settings import sunwi_settings
from foundation.users import UserKey

BATCH = 1000


def retain(at: datetime) -> int:
    """Delete entries older than AUDIT_KEEP_DAYS, in small batches; return how many."""
    old = AuditEntry.objects.filter(at__lt=at - timedelta(days=sunwi_settings.AUDIT_KEEP_DAYS)).order_by("at")
    deleted = 0
    while True:
        with long_transaction():
            batch = list(old.values_list("pk", flat=True)[:BATCH])
            if not batch:
                return deleted
            deleted += AuditEntry.objects.filter(pk__in=batch).delete()[1].get("foundation.AuditEntry", 0)


def blank_entries_about(kind: str, key: object, own: Collection[str] = ()) -> int:
    """Empty the reasons, values and details of entries about a subject; return how many entries.

    The action and its time remain. For the actions in ``own``, which the subject did itself, name and address are
    emptied too.
    """
    numbers = AuditEntry.objects.filter(subjects__kind=kind, subjects__key=str(key)).values("pk")
    AuditEntry.objects.filter(pk__in=numbers, act__in=own).update(by=None, by_name="", address="")
    return AuditEntry.objects.filter(pk__in=numbers).update(reason="", before={}, after={}, note={})


def forget_addresses(account: UserKey) -> None:
    """Empty the addresses in entries by the account (its primary key) and of failed sign-ins to it.

    Call it in the transaction that deletes the account, before the deletion sets ``by`` to null.
    """
    own = Q(by=account) | Q(by=None, by_name="", key_name="", subjects__kind="account", subjects__key=str(account))
    AuditEntry.objects.filter(pk__in=AuditEntry.objects.filter(own).exclude(address="").values("pk")).update(address="")


def forget_own_name(account: UserKey) -> None:
    """Empty the account's name in entries about itself: who did it, if it was the account, and what was changed.

    Call it in the transaction that deletes the account. Entries about others keep the name.
    """
    about = AuditEntry.objects.filter(subjects__kind="account", subjects__key=str(account))
    AuditEntry.objects.filter(pk__in=about.filter(by=account).values("pk")).update(by_name="")
    for entry in about.filter(note__has_key="row"):
        note = {name: value for name, value in entry.note.items() if name != "row"}
        AuditEntry.objects.filter(pk=entry.pk).update(note=note)


def forget_values(kind: str, key: object, names: Collection[str]) -> None:
    """Remove the values ``names`` from ``before`` and ``after`` of entries about a subject.

    Call it in the transaction that deletes the subject.
    """
    has_values = Q(before__has_any_keys=list(names)) | Q(after__has_any_keys=list(names))
    for entry in AuditEntry.objects.filter(has_values, subjects__kind=kind, subjects__key=str(key)):
        before, after = (
            {name: value for name, value in values.items() if name not in names}
            for values in (entry.before, entry.after)
        )
        AuditEntry.objects.filter(pk=entry.pk).update(before=before, after=after)
