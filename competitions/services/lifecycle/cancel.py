"""Cancel a competition: no more scores, no rewards, and the participants are notified with the reason."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import CompetitionOver, NotOpenYet
from competitions.models import ChangeKind, Competition
from competitions.services.change_log import clean_reason, record_change
from competitions.services.locks import lock_competition
from competitions.services.notices.notices import notify_participants
from foundation.messages import Message


@transaction.atomic
def cancel(competition: Competition, reason: str, at: datetime, by: AbstractBaseUser | None) -> Competition:
    """Cancel a published competition before it is final.

    Raises ``CompetitionOver``, ``NotOpenYet`` or ``BadCompetition``.
    """
    reason = clean_reason(reason)
    locked = lock_competition(competition)
    if locked.published_at is None:
        raise NotOpenYet(Message("It is a draft: delete it instead."))
    if locked.cancelled_at is not None:
        raise CompetitionOver(Message("It was cancelled before."))
    if locked.final_at is not None:
        raise CompetitionOver(Message("It is final: its result stays."))
    locked.cancelled_at = at
    locked.save(update_fields=["cancelled_at"])
    notify_participants(record_change(locked, ChangeKind.CANCELLED, at, by, reason))
    return locked
