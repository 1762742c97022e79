"""Invitations: made by staff, for one person, for some days; taken back while nobody has used them."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from accounts.models import AccountMail, Invitation, MailKind
from accounts.services.audit_actions import INVITATION_REVOKED, INVITED
from accounts.services.mails import links
from foundation import audit


@transaction.atomic
def invite(invitation: Invitation, by: User, days: int, language: str, at: datetime) -> str:
    """Keep a new invitation, good for ``days``. One with an address is mailed there, and nothing is returned; else
    its link, this one time."""
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
    """The address at which it is accepted."""
    return links.address("account-invitation", links.make(links.INVITATION, invitation.pk))


@transaction.atomic
def revoke(number: int, by: User, at: datetime) -> bool:
    """Take it back; whether there was something to take back."""
    was_open = bool(Invitation.objects.filter(pk=number, used_at=None, revoked_at=None).update(revoked_at=at))
    if was_open:
        audit.record(INVITATION_REVOKED, at=at, by=by, note={"invitation": number})
    return was_open
