"""Making and revoking invitations. Staff make one for one person, valid for some days."""

from datetime import datetime, timedelta

from django.db import transaction

from accounts.models import AccountMail, Invitation, MailKind
from accounts.services.audit_actions import INVITATION_REVOKED, INVITED
from accounts.services.mails import links
from foundation import audit
from foundation.users import User


@transaction.atomic
def invite(invitation: Invitation, by: User, days: int, language: str, at: datetime) -> str:
    """Save a new invitation, valid for ``days``, and return its link.

    An invitation with an address is mailed there, and an empty text is returned.
    """
    invitation.by, invitation.created_at, invitation.expires_at = by, at, at + timedelta(days=days)
    invitation.save()
    audit.record(INVITED, at=at, by=by, note={"invitation": invitation.pk})
    if not invitation.email:
        return link(invitation)
    AccountMail.objects.create(
        kind=MailKind.INVITATION,
        to=invitation.email,
        invitation=invitation,
        language=language,
        created_at=at,
        next_try_at=at,
    )
    return ""


def link(invitation: Invitation) -> str:
    """The URL for accepting it."""
    return links.address("account-invitation", links.make(links.INVITATION, invitation.pk))


@transaction.atomic
def revoke(number: int, by: User, at: datetime) -> bool:
    """Revoke an unused invitation; return whether it was revoked now."""
    was_revoked = bool(Invitation.objects.filter(pk=number, used_at=None, revoked_at=None).update(revoked_at=at))
    if was_revoked:
        audit.record(INVITATION_REVOKED, at=at, by=by, note={"invitation": number})
    return was_revoked
