"""Export the stored data of an account and its player, for the person themselves: no secrets, no hashes."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from accounts.errors import StillHidden
from accounts.models import AuthenticatorApp, FormerEmail, Invitation, Passkey, ProvenEmail, RecoveryCode
from foundation.audit.models import AuditEntry
from foundation.messages import Message
from foundation.users import User
from leaderboards.models import Player
from leaderboards.selectors.player_data.follows import follows_stored
from leaderboards.selectors.player_data.personal_data import data_shown_to_player

PROFILE = ("first_name", "last_name", "email", "date_joined", "last_login", "is_active", "is_staff")


Hides = Callable[[Player, datetime], bool]
_export_blockers: list[Hides] = []


def register_export_blocker(hides: Hides) -> None:
    """Register a callable that says whether results of a player are still hidden; may be called twice."""
    if hides not in _export_blockers:
        _export_blockers.append(hides)


def account_export(user: User, at: datetime) -> dict[str, Any]:
    """Return the account, its ways of signing in, and ``player`` (None if none is linked), ready for JSON.

    Raises ``StillHidden`` while a freeze of a competition hides results of the player.
    """
    player = Player.objects.filter(user=user).first()
    if player is not None and any(hides(player, at) for hides in _export_blockers):
        raise StillHidden(Message("Results of a competition are hidden for now: ask again after they are revealed."))
    return {
        "account": _profile(user),
        "email_proven_at": list(ProvenEmail.objects.filter(user=user).values_list("proven_at", flat=True)),
        "former_emails": list(FormerEmail.objects.filter(user=user).values("email", "until")),
        "authenticator_app": list(AuthenticatorApp.objects.filter(user=user).values("created_at")),
        "passkeys": list(Passkey.objects.filter(user=user).values("name", "created_at", "last_used_at")),
        "recovery_codes_left": RecoveryCode.objects.filter(user=user, used_at=None).count(),
        "invitations": list(
            Invitation.objects.filter(used_by=user).values("email", "created_at", "expires_at", "used_at")
        ),
        "following": follows_stored(user),
        "audit_log": [_export_entry(user, entry) for entry in _entries(user)],
        "player": data_shown_to_player(player.external_id) if player else None,
    }


def _profile(user: User) -> dict[str, Any]:
    """Export what we use of the account's row; columns of a project's own are the project's to export."""
    columns = {field.name for field in user._meta.concrete_fields}
    shown = dict.fromkeys((user.USERNAME_FIELD, *PROFILE))
    return {name: getattr(user, name) for name in shown if name in columns} | {"groups": _groups(user)}


def _entries(user: User) -> QuerySet[AuditEntry]:
    """Query the audit entries about the account."""
    return AuditEntry.objects.filter(subjects__kind="account", subjects__key=str(user.pk)).order_by("pk")


def _export_entry(user: User, entry: AuditEntry) -> dict[str, Any]:
    """Export an entry without names and reasons of staff.

    The address only of the person's own actions and of attempts to sign in, not of actions of staff or keys.
    """
    is_by_others = entry.by_id != user.pk and bool(entry.by_name or entry.key_name)
    exported = {name: getattr(entry, name) for name in ("at", "act", "before", "after", "note")}
    return exported if is_by_others else exported | {"address": entry.address}


def _groups(user: User) -> list[str]:
    return list(user.groups.order_by("name").values_list("name", flat=True))
