"""The record of what people do to a competition, and the webhook that goes with it: in the caller's transaction."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from competitions.errors import BadCompetition
from competitions.models import Change, ChangeKind, Competition

LONGEST_REASON = 300


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
    """Add a row to the record."""
    return Change.objects.create(
        competition=competition, kind=kind, at=at, by_id=by.pk if by else None, reason=reason, details=details
    )
