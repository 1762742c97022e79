"""The record of what people do to a competition, and the webhook that goes with it: in the caller's transaction."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from competitions.errors import BadCompetition
from competitions.models import Change, ChangeKind, Competition
from foundation.webhooks.outbox import enqueue

LONGEST_REASON = 300
_ANNOUNCED = (ChangeKind.PUBLISHED, ChangeKind.EXTENDED, ChangeKind.CANCELLED, ChangeKind.REVEALED)


def reason_given(reason: str) -> str:
    """The reason without blanks around it. Raises ``BadCompetition`` where there is none, or too much of it."""
    reason = reason.strip()
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise BadCompetition(f"Give a reason of 1 to {LONGEST_REASON} characters.", "reason")
    return reason


def note(
    competition: Competition,
    kind: ChangeKind,
    at: datetime,
    by: AbstractBaseUser | None,
    reason: str = "",
    **details: Any,
) -> Change:
    """Add a row to the record, and tell the site's own systems where they may care."""
    change = Change.objects.create(
        competition=competition, kind=kind, at=at, by_id=by.pk if by else None, reason=reason, details=details
    )
    if kind in _ANNOUNCED:
        announce(competition, kind, f"change-{change.pk}", at, reason=reason)
    return change


def announce(competition: Competition, what: str, message_id: str, at: datetime, **more: Any) -> None:
    """Put a webhook about a competition into the outbox. It never says who stands where."""
    payload = {
        "competition": {"id": competition.pk, "name": competition.name, "board": competition.board_id},
        "starts_at": competition.starts_at,
        "ends_at": competition.ends_at,
    }
    enqueue(f"competition.{what}", message_id, payload | more, at)
