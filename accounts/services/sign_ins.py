"""Who signs in and out, and who fails to, from where: lines of the log, and of staff also entries of the audit log.

A name that nobody has is not written: people type passwords there. The trap: what strangers cause must stay behind the
brakes on guessing, since each failure at a staff account is a row.
"""

import logging
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest

from accounts.services.audit_actions import SIGN_IN_FAILED, SIGNED_IN, SIGNED_OUT
from foundation import audit, clock
from foundation.http.client_address import client_network

logger = logging.getLogger(__name__)

_WORDS = {SIGNED_IN: "Signed in", SIGN_IN_FAILED: "Sign-in failed", SIGNED_OUT: "Signed out"}


def signed_in(request: HttpRequest, user: User, way: str) -> None:
    """By ``way``: a password, and perhaps what was shown beside it."""
    _tell(SIGNED_IN, request, user, way=way)


def failed(request: HttpRequest, user: User | None, way: str) -> None:
    """What was shown of ``way`` is wrong; ``user`` is whose it was to be, if that is known."""
    _tell(SIGN_IN_FAILED, request, user, way=way)


def of_a_wrong_password(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """Django says that no backend knows these. Programs of our own have no request."""
    if request is not None:
        name = str(credentials.get("username", ""))[:150]
        user = None if "\x00" in name else User.objects.filter(username=name).first()
        failed(request, user, "password")


def of_a_sign_out(request: HttpRequest, user: Any, **_: Any) -> None:
    """Django says that a session has ended."""
    if isinstance(user, User):
        _tell(SIGNED_OUT, request, user)


def _tell(act: str, request: HttpRequest, user: User | None, **note: str) -> None:
    address = client_network(request)
    who = f"account {user.pk}" if user else "no account"
    logger.info("%s: %s, from %s%s", _WORDS[act], who, address, "".join(f", by {way}" for way in note.values()))
    if user is not None and (user.is_staff or user.is_superuser):
        by = None if act == SIGN_IN_FAILED else user
        audit.record(act, at=clock.now(), by=by, subjects=[("account", user.pk)], note=note)
