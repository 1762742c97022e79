"""The brake on guessing passwords: counted before one is looked at.

It counts for each account from each address, more widely for each address, and for each account over all addresses:
some an hour and some a day, so that guessing ends however many addresses somebody has. That last one would lock people
out for others' guessing, so a device on which they have signed in before has a brake of its own (docs/decisions/0050).
It stands first among the authentication backends, so it covers every door alike. A try that is refused is not counted,
so nobody is out for longer than the window.
"""

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from foundation.client import client_of
from foundation.rate_limit import refuse_over

DEVICE_SALT = "foundation.login.device"
DEVICE_DAYS = 90


class LoginBrake:
    """A backend that knows nobody. Raises ``RateLimited``, which the middleware answers."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None
    ) -> None:
        """Count a try; whose it is, the next backend says. Programs of our own have no request and no brake."""
        if request is None or password is None:
            return
        address, device = client_of(request), device_of(request, username)
        refuse_over("login_address", address)
        if device is None:
            refuse_over("login", f"{address} {username}")
        who = f"account {username}" if device is None else f"device {device}"
        refuse_over("login_account", who)
        refuse_over("login_day", who)


def device_of(request: HttpRequest, username: str | None) -> str | None:
    """The device's random name, if somebody signed in to this account on it in the last 90 days."""
    try:
        known: Any = signing.loads(
            request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=DEVICE_SALT, max_age=DEVICE_DAYS * 86_400
        )
    except signing.BadSignature:
        return None
    name, device = known
    return str(device) if name == username else None


def know_device(request: HttpRequest, response: HttpResponseBase, username: str) -> None:
    """Have this device known as one of the account's: after signing in, or setting a password by mail."""
    device = device_of(request, username) or secrets.token_urlsafe(12)
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps([username, device], salt=DEVICE_SALT),
        max_age=DEVICE_DAYS * 86_400,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
