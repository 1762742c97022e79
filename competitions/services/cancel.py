"""Cancelling: nobody scores any more, nothing is won, and the participants are told why."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import CompetitionOver, NotOpenYet
from competitions.models import ChangeKind, Competition
from competitions.services.changes import note, reason_given
from competitions.services.locked import locked
from competitions.services.notices import tell_participants


@transaction.atomic
def cancel(competition: Competition, reason: str, at: datetime, by: AbstractBaseUser | None) -> Competition:
    """Cancel what is published and not final. Raises ``CompetitionOver``, ``NotOpenYet`` or ``BadCompetition``."""
    reason = reason_given(reason)
    held = locked(competition)
    if held.published_at is None:
        raise NotOpenYet("It is a draft: delete it instead.")
    if held.cancelled_at is not None:
        raise CompetitionOver("It was cancelled before.")
    if held.final_at is not None:
        raise CompetitionOver("It is final: its result stays.")
    held.cancelled_at = at
    held.save(update_fields=["cancelled_at"])
    tell_participants(note(held, ChangeKind.CANCELLED, at, by, reason))
    return held
