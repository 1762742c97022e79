"""Links that are mailed or handed over: signed, for a purpose and a time, with nothing of them kept in SQL."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext_noop

from accounts import mail_urls
from accounts.errors import NoLongerValid

SIGN_UP, EMAIL, INVITATION = "accounts.sign_up", "accounts.email", "accounts.invitation"
EMAIL_BACK = "accounts.email_back"
UNKNOWN = gettext_noop("This link is not known, was used, or is too old. Ask for a new one.")
MAILED_FOR = timedelta(days=1)


def make(purpose: str, what: Any) -> str:
    """A token that holds ``what``."""
    return signing.dumps(what, salt=purpose)


def read(purpose: str, token: str, valid_for: timedelta | None = MAILED_FOR) -> Any:
    """What the token holds. Raises ``NoLongerValid`` where it is none of ours, of another purpose, or too old."""
    try:
        return signing.loads(token, salt=purpose, max_age=valid_for)
    except signing.BadSignature as error:
        raise NoLongerValid(UNKNOWN) from error


def address(name: str, *parts: object) -> str:
    """A whole address of ours, one of ``accounts.mail_urls``; the host is the setting's, never a request's."""
    return str(settings.SITE_URL).rstrip("/") + reverse(name, mail_urls.__name__, args=parts)


def new_password(user: User) -> tuple[str, str, str]:
    """Name and parts of the address at which they choose one, good once, for an hour."""
    number = urlsafe_base64_encode(force_bytes(user.pk))
    return "account-reset-confirm", number, default_token_generator.make_token(user)
