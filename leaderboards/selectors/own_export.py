"""All that is held about an account and its player, for the person themselves: no secrets, no hashes."""

from typing import Any

from django.contrib.auth.models import User

from accounts.models import AuthenticatorApp, Invitation, Passkey, ProvenEmail, RecoveryCode
from leaderboards.models import Player
from leaderboards.selectors.kept import all_kept

PROFILE = ("username", "first_name", "last_name", "email", "date_joined", "last_login", "is_active", "is_staff")


def own_export(user: User) -> dict[str, Any]:
    """What JSON is made of: the account, how it signs in, and ``player``: None where none is linked."""
    player = Player.objects.filter(user=user).first()
    return {
        "account": {name: getattr(user, name) for name in PROFILE} | {"groups": _groups(user)},
        "email_proven_at": list(ProvenEmail.objects.filter(user=user).values_list("proven_at", flat=True)),
        "authenticator_app": list(AuthenticatorApp.objects.filter(user=user).values("created_at")),
        "passkeys": list(Passkey.objects.filter(user=user).values("name", "created_at", "last_used_at")),
        "recovery_codes_left": RecoveryCode.objects.filter(user=user, used_at=None).count(),
        "invitations": list(
            Invitation.objects.filter(used_by=user).values("email", "note", "created_at", "expires_at", "used_at")
        ),
        "player": all_kept(player.external_id) if player else None,
    }


def _groups(user: User) -> list[str]:
    return list(user.groups.order_by("name").values_list("name", flat=True))
