"""Log sign-ins, failed sign-ins and sign-outs with their address; for staff also in the audit log.

An unknown username is not logged, because people type passwords there by mistake. The trap: each failure at a staff
account writes a row, so it may only happen behind the rate limits on guessing.
"""

import logging
from typing import Any

from django.http import HttpRequest

from accounts.services.audit_actions import SIGN_IN_FAILED, SIGNED_IN, SIGNED_OUT
from foundation import audit, clock
from foundation.http.client_address import client_network
from foundation.users import User, find_by_name, name_given

logger = logging.getLogger(__name__)

LONGEST_TYPED = 254  # characters of a name, as in the form
_WORDS = {SIGNED_IN: "Signed in", SIGN_IN_FAILED: "Sign-in failed", SIGNED_OUT: "Signed out"}


def signed_in(request: HttpRequest, user: User, way: str) -> None:
    """Log a sign-in. ``way`` says how, such as "password and code"."""
    _log(SIGNED_IN, request, user, way=way)


def failed(request: HttpRequest, user: User | None, way: str) -> None:
    """Log a failed sign-in by ``way``; ``user`` is the account it was for, if known."""
    _log(SIGN_IN_FAILED, request, user, way=way)


def on_login_failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """Handle Django's ``user_login_failed``. Calls without a request, from our own code, are ignored."""
    if request is not None:
        failed(request, find_by_name(name_given(credentials)[:LONGEST_TYPED]), "password")


def on_logged_out(request: HttpRequest, user: Any, **_: Any) -> None:
    """Handle Django's ``user_logged_out``."""
    if isinstance(user, User):
        _log(SIGNED_OUT, request, user)


def _log(act: str, request: HttpRequest, user: User | None, **note: str) -> None:
    address = client_network(request)
    who = f"account {user.pk}" if user else "no account"
    logger.info("%s: %s, from %s%s", _WORDS[act], who, address, "".join(f", by {way}" for way in note.values()))
    if user is not None and (user.is_staff or user.is_superuser):
        by = None if act == SIGN_IN_FAILED else user
        audit.record(act, at=clock.now(), by=by, subjects=[("account", user.pk)], note=note)
