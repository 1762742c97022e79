"""Erasing a player from the logs: the audit log and the admin's log.

The trap: an undo locks its audit entry, and then the player. So an erasure locks the entries first.
"""

from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from foundation.audit.models import AuditEntry, AuditSubject
from foundation.audit.retention import blank_entries_about
from leaderboards.models import Player
from leaderboards.services.players.link import ACCOUNT_CHANGED


def lock_entries(kind: str, number: int) -> None:
    """Lock all entries about this subject, in their order, until the transaction ends."""
    about = AuditSubject.objects.filter(kind=kind, key=str(number))
    entries = AuditEntry.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=about.values("entry"))
    list(entries.order_by("pk").values_list("pk"))


def forget_in_audit(player: Player) -> None:
    """Blank the entries about the player and unlink their accounts; actions and times stay."""
    blank_entries_about("player", player.pk, own=("player.linked",))
    linking = AuditSubject.objects.filter(
        kind="player", key=str(player.pk), entry__act__in=("player.linked", ACCOUNT_CHANGED)
    )
    AuditSubject.objects.filter(kind="account", entry__in=linking.values_list("entry", flat=True)).delete()


def rename_in_admin_log(rows: QuerySet[Any], new: str) -> None:
    """Replace the names of these rows in the admin's log."""
    admin_log_of(rows).update(object_repr=new)


def admin_log_of(rows: QuerySet[Any]) -> QuerySet[LogEntry]:
    """The entries of the admin's log about these rows."""
    about = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(rows.model))
    return about.filter(object_id__in=rows.order_by().annotate(named=Cast("pk", TextField())).values("named"))
