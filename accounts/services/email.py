"""An account's address: changed once its owner has followed the link that was mailed to the new one."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_noop

from accounts.errors import NoLongerValid, Taken
from accounts.models import MailKind, ProvenEmail
from accounts.services import changes, links
from accounts.services.acts import EMAIL, told

_TAKEN = gettext_noop("Another account has this address.")


def make(user: User, email: str) -> str:
    """The token of a mail to ``email``; it ends with the next change of address or password."""
    return links.make(links.EMAIL, [user.pk, email, _state(user)])


def address_in(user: User, token: str) -> str:
    """The address that the token would prove for ``user``. Raises ``NoLongerValid``."""
    match links.read(links.EMAIL, token):
        case [pk, str(email), state] if pk == user.pk and state == _state(user):
            return email
    raise NoLongerValid(links.UNKNOWN)  # of somebody else, from before a change, or in the form of an older version


@transaction.atomic
def confirm(user: User, token: str, at: datetime) -> str:
    """Give ``user`` the address that the token proves, and return it. Raises ``NoLongerValid`` and ``Taken``."""
    locked = User.objects.select_for_update().get(pk=user.pk)
    email = address_in(locked, token)
    if User.objects.filter(email__iexact=email).exclude(pk=locked.pk).exists():
        raise Taken(_TAKEN)
    try:
        with transaction.atomic():
            ProvenEmail.objects.update_or_create(user=locked, defaults={"email": email, "proven_at": at})
    except IntegrityError as error:
        raise Taken(_TAKEN) from error
    if locked.email and locked.email != email:
        changes.tell(MailKind.ADDRESS_CHANGED, locked, at, to=locked.email)
    locked.email = email
    locked.save(update_fields=["email"])
    told(EMAIL, locked, at)
    return email


def _state(user: User) -> str:
    return user.get_session_auth_hash()[:16] + user.email
