"""Session values about authentication, in seconds since 1970; every way of signing in sets them.

``proved_at`` is when a password, code or passkey was last shown; ``factor_at`` when a second factor was.
"""

from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest

from foundation import clock

SIGNED_IN, SEEN, PROVED, FACTOR = "signed_in_at", "seen_at", "proved_at", "factor_at"
SEEN_EVERY_SECONDS = 60  # the session is saved this often, not with each page


def mark_signed_in(request: HttpRequest, **_: Any) -> None:
    """Handle Django's ``user_logged_in``. Code that checks a second factor calls ``mark_factor`` itself."""
    session, now = request.session, clock.now().timestamp()
    session.pop(FACTOR, None)
    session.update({SIGNED_IN: now, SEEN: now, PROVED: now})


def mark_proved(session: SessionBase) -> None:
    """Note that the user has just re-authenticated."""
    session[PROVED] = clock.now().timestamp()


def mark_factor(session: SessionBase) -> None:
    """Note that the user has just shown a second factor."""
    session[FACTOR] = session[PROVED] = clock.now().timestamp()


def mark_seen(session: SessionBase, now: float) -> None:
    """Note that the user has opened a page."""
    if now - session.get(SEEN, 0.0) >= SEEN_EVERY_SECONDS:
        session[SEEN] = now


def has_factor(session: SessionBase) -> bool:
    """Whether a second factor was shown in this session."""
    return FACTOR in session


def proved_within(session: SessionBase, seconds: float) -> bool:
    """Whether the user authenticated within the last ``seconds``."""
    at: float = session.get(PROVED, 0.0)
    return 0 <= clock.now().timestamp() - at < seconds
