"""Rate limits on password guessing, counted before a password is checked.

There are limits for an account from one address, for an address, and for an account over all addresses (some for an
hour, some for a day), so that guessing ends however many addresses an attacker has. The last kind would lock people
out because of others' guesses, so the devices on which they signed in with the current password share a separate
limit (docs/decisions/0050). The throttle is the first authentication backend, so it covers every login form. A refused
try is not counted, so nobody is locked out for longer than the window.
"""

from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from foundation.http.client_address import client_network
from foundation.sunwi_settings import sunwi_settings
from foundation.throttling.rate_limit import throttle
from foundation.users import User, find_by_name, name_given, name_of

DEVICE_SALT = "foundation.login.device"
DEVICE_DAYS = 90


class LoginThrottle:
    """An authentication backend that only counts. Raises ``RateLimited``, which the middleware turns into 429."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **more: Any
    ) -> None:
        """Count a try; the next backend checks the password. Calls without a request (our own code) are not limited.

        The name may come as ``username`` or under the name of the model's own field. Names count without regard to
        case, because a model may find its accounts so: else each spelling would have a limit of its own.
        """
        if request is None or password is None:
            return
        name = name_given({"username": username, **more})
        address, is_known = client_network(request), _is_known_to(request, name)
        throttle("login_address", address)
        spelt = name.casefold()
        if not is_known:
            throttle("login", f"{address} {spelt}")
        who = f"known devices of {spelt}" if is_known else f"account {spelt}"
        throttle("login_account", who)
        throttle("login_day", who)


def _is_known_to(request: HttpRequest, name: str) -> bool:
    """Whether the account knows the device. SQL is queried only if the device has a valid signed cookie."""
    if not name or str(_read_device_cookie(request)[0]).casefold() != name.casefold():
        return False
    user = find_by_name(name)
    return user is not None and is_known_device(request, user)


def is_known_device(request: HttpRequest, user: User) -> bool:
    """Whether the account was signed in on this device in the last 90 days, with its current password."""
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return _read_device_cookie(request) in [(name_of(user), _short_hash(each)) for each in hashes]


def _read_device_cookie(request: HttpRequest) -> tuple[object, object]:
    """The username and the short password hash in the cookie; (None, None) if it is missing, expired or forged."""
    cookie = request.COOKIES.get(sunwi_settings.DEVICE_COOKIE_NAME, "")
    try:
        name, auth_hash = signing.loads(cookie, salt=DEVICE_SALT, max_age=DEVICE_DAYS * 86_400)
    except signing.BadSignature:
        return None, None
    return name, auth_hash


def _short_hash(auth_hash: str) -> str:
    return auth_hash[:16]


def remember_device(response: HttpResponseBase, user: User) -> None:
    """Set the cookie that makes this device known to the account, until its password changes.

    Call it after signing in or setting a password.
    """
    response.set_cookie(
        sunwi_settings.DEVICE_COOKIE_NAME,
        signing.dumps([name_of(user), _short_hash(user.get_session_auth_hash())], salt=DEVICE_SALT),
        max_age=DEVICE_DAYS * 86_400,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
