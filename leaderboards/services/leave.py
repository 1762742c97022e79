"""Deleting one's own account. The player is erased first, or goes on without an account: the person chooses.

Erasing may be refused for a while (a period that closes, a Redis that is away); the account is still there then, and it
is asked for again. Staff do not: what they did stays theirs, and another one takes their rights first.
"""

from datetime import datetime

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.errors import StaffStay
from accounts.models import Invitation
from accounts.services.acts import DELETED
from foundation import audit
from foundation.audit.actor import acting
from foundation.audit.models import AuditEntry
from foundation.audit.upkeep import forget as forget_entries
from leaderboards.models import Player
from leaderboards.services.erase import erase_player

ERASE, KEEP = "erase", "keep"


def leave(user: User, what_of_player: str, at: datetime) -> None:
    """Delete the account. Raises ``StaffStay``, and what ``erase_player`` raises where it has to be asked again."""
    if user.is_staff or user.is_superuser:
        raise StaffStay(gettext_noop("Staff do not delete their accounts: ask another one to take your rights first."))
    player = Player.objects.filter(user=user).first()
    if player is not None and what_of_player == ERASE:
        erase_player(player.external_id, at)
    _delete(user, at)


@transaction.atomic
def _delete(user: User, at: datetime) -> None:
    """The row goes; of somebody who was staff once it stays, empty, since the log of the admin points to it."""
    locked = User.objects.select_for_update().filter(pk=user.pk).first()
    if locked is None:  # asked twice at one moment
        return
    Invitation.objects.filter(used_by=locked).update(email="", note="")
    Player.objects.filter(user=locked).update(user=None)
    AuditEntry.objects.filter(by=locked).update(by_name="")
    forget_entries("account", locked.pk)  # names, addresses and what they called their passkeys
    if LogEntry.objects.filter(user=locked).exists():
        _empty(locked)
    else:
        locked.delete()
    with acting():  # in the request of somebody whose row is gone by now
        audit.record(DELETED, at=at, subjects=[("account", user.pk)])


def _empty(user: User) -> None:
    for rows in ("passkeys", "recovery_codes"):
        getattr(user, rows).all().delete()
    for row in ("authenticator_app", "proven_email"):
        if hasattr(user, row):
            getattr(user, row).delete()
    user.username, user.email, user.first_name, user.last_name = f"deleted-{user.pk}", "", "", ""
    user.is_active, user.last_login = False, None
    user.set_unusable_password()
    user.save()
