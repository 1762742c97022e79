"""The brake on guessing passwords: counted before one is looked at.

It counts for each account from each address, more widely for each address, and for each account over all addresses:
some an hour and some a day, so that guessing ends however many addresses somebody has. That last one would lock people
out for others' guessing, so the devices on which they have signed in before, with the password of today, have one brake
of their own, together (docs/decisions/0050).
It stands first among the authentication backends, so it covers every door alike. A try that is refused is not counted,
so nobody is out for longer than the window.
"""

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from foundation.http.client_address import client_network
from foundation.throttling.rate_limit import throttle

DEVICE_SALT = "foundation.login.device"
DEVICE_DAYS = 90


class LoginThrottle:
    """A backend that knows nobody. Raises ``RateLimited``, which the middleware answers."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None
    ) -> None:
        """Count a try; whose it is, the next backend says. Programs of our own have no request and no brake."""
        if request is None or password is None:
            return
        address, is_known_device = client_network(request), _is_known_to(request, username)
        throttle("login_address", address)
        if not is_known_device:
            throttle("login", f"{address} {username}")
        who = f"known devices of {username}" if is_known_device else f"account {username}"
        throttle("login_account", who)
        throttle("login_day", who)


def _is_known_to(request: HttpRequest, username: str | None) -> bool:
    """Whether the device is known to the account of this name; SQL is asked only for devices that we have signed."""
    if username is None or _signed(request)[0] != username:
        return False
    user = User.objects.filter(username=username).first()
    return user is not None and is_known_device(request, user)


def is_known_device(request: HttpRequest, user: User) -> bool:
    """Whether somebody signed in to this account on the device in the last 90 days, with the password of today."""
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return _signed(request) in [(user.get_username(), _mark(each)) for each in hashes]


def _signed(request: HttpRequest) -> tuple[object, object]:
    """Whose device the cookie says it is, and the mark of their password; nobody's where it is not signed by us."""
    cookie = request.COOKIES.get(settings.DEVICE_COOKIE_NAME, "")
    try:
        name, mark = signing.loads(cookie, salt=DEVICE_SALT, max_age=DEVICE_DAYS * 86_400)
    except signing.BadSignature:
        return None, None
    return name, mark


def _mark(auth_hash: str) -> str:
    return auth_hash[:16]


def remember_device(response: HttpResponseBase, user: User) -> None:
    """Have this device known as one of the account's: after signing in, or setting a password. A new password ends
    that."""
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps([user.get_username(), _mark(user.get_session_auth_hash())], salt=DEVICE_SALT),
        max_age=DEVICE_DAYS * 86_400,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
