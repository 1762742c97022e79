"""Who signs in, in tests of accounts: what they type, and the codes of their apps."""

import re
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.contrib.auth.models import User
from django.core import mail as post
from django.test import Client

from accounts.models import AuthenticatorApp
from accounts.services.mails import outbox as mail
from foundation import clock
from foundation.security import sealing

LOGIN, SECOND, SECURITY = "/accounts/login/", "/accounts/second-factor/", "/accounts/security/"
PASSWORD = "a long enough password"
SECRET = "3132333435363738393031323334353637383930"  # of RFC 6238, appendix B


def with_app(user: User) -> User:
    """``user`` has an authenticator app."""
    sealed = sealing.seal(SECRET, sealing.SECOND_FACTOR)
    AuthenticatorApp.objects.create(user=user, secret=sealed, created_at=clock.now())
    return user


def code(at: datetime | None = None, secret: str = SECRET) -> str:
    """What the app shows."""
    when = (at or clock.now()).timestamp()
    return TOTP(bytes.fromhex(secret), 6, SHA1(), 30).generate(int(when)).decode()  # noqa: S303 - authenticator apps use SHA-1


def sign_in(client: Client, name: str, password: str = PASSWORD, **more: Any) -> Any:
    """The first step."""
    return client.post(LOGIN, {"username": name, "password": password}, **more)


def who(client: Client) -> str:
    """Who the pages take this browser for; empty for nobody."""
    page = client.get("/account/")
    return page.context["user"].get_username() if page.status_code == 200 else ""


def mailed() -> str:
    """The path of the link in the latest mail."""
    mail.send_due(clock.now())
    found = re.search(r"http://localhost:8000(/\S+)", str(post.outbox[-1].body))
    assert found is not None
    return found[1]
