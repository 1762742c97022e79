"""What a session remembers of how its owner proved who they are: seconds since 1970, set by every way of signing in.

``proved_at`` is the last time that a password, a code or a passkey was shown; ``factor_at`` when a second factor was.
"""

from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest

from foundation import clock

SIGNED_IN, SEEN, PROVED, FACTOR = "signed_in_at", "seen_at", "proved_at", "factor_at"
SEEN_EVERY_SECONDS = 60  # a row is written when this is past, not with each page


def mark_signed_in(request: HttpRequest, **_: Any) -> None:
    """Django says that somebody has signed in; a second factor is marked by who asked for it."""
    session, now = request.session, clock.now().timestamp()
    session.pop(FACTOR, None)
    session.update({SIGNED_IN: now, SEEN: now, PROVED: now})


def mark_proved(session: SessionBase) -> None:
    """They have just shown again who they are."""
    session[PROVED] = clock.now().timestamp()


def mark_factor(session: SessionBase) -> None:
    """They have just shown a second factor."""
    session[FACTOR] = session[PROVED] = clock.now().timestamp()


def mark_seen(session: SessionBase, now: float) -> None:
    """They have opened a page."""
    if now - session.get(SEEN, 0.0) >= SEEN_EVERY_SECONDS:
        session[SEEN] = now


def has_factor(session: SessionBase) -> bool:
    """Whether this session was signed in to with a second factor."""
    return FACTOR in session


def proved_within(session: SessionBase, seconds: float) -> bool:
    """Whether they showed who they are within so many seconds."""
    at: float = session.get(PROVED, 0.0)
    return 0 <= clock.now().timestamp() - at < seconds
