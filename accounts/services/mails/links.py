"""Signed links for mails and invitations, valid for a purpose and a time; they are not stored in SQL."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts import mail_urls
from accounts.errors import NoLongerValid
from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings
from foundation.users import User

SIGN_UP, EMAIL, INVITATION = "accounts.sign_up", "accounts.email", "accounts.invitation"
EMAIL_BACK = "accounts.email_back"
UNKNOWN = Message("This link is not known, was used, or is too old. Ask for a new one.")
MAILED_FOR = timedelta(days=1)


def make(purpose: str, content: Any) -> str:
    """Make a signed token that contains ``content`` as JSON."""
    return signing.dumps(content, salt=purpose)


def read(purpose: str, token: str, valid_for: timedelta | None = MAILED_FOR) -> Any:
    """The content of a token. Raises ``NoLongerValid`` if it is forged, for another purpose, or too old."""
    try:
        return signing.loads(token, salt=purpose, max_age=valid_for)
    except signing.BadSignature as error:
        raise NoLongerValid(UNKNOWN) from error


def address(name: str, *parts: object) -> str:
    """The absolute URL of one of ``accounts.mail_urls``. The host is SITE_URL's, never a request's."""
    return str(sunwi_settings.SITE_URL).rstrip("/") + reverse(name, mail_urls.__name__, args=parts)


def new_password(user: User) -> tuple[str, str, str]:
    """Name and arguments of the URL for choosing a new password; it is valid once, for an hour."""
    number = urlsafe_base64_encode(force_bytes(user.pk))
    return "account-reset-confirm", number, default_token_generator.make_token(user)
