"""Remove withdrawn participants who still have a standing from the ranking; the others move up.

Leaving removes the standing at once, but a score that is in flight may create it again, or Redis may be away. So the
schedule repeats the removal, and a closing period excludes withdrawn players (``players_who_left``).
"""

import logging
from datetime import datetime

from django.db.models import QuerySet

from competitions.models import Competition, Participant
from competitions.services.lifecycle.freeze import freeze_if_due
from competitions.services.participants.withdrawn import remove_withdrawn_one, withdrawn_with_scores
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import Unavailable

logger = logging.getLogger(__name__)


def remove_withdrawn_due(at: datetime) -> int:
    """Remove withdrawn participants with scores from all competitions that are neither closed nor cancelled.

    Returns how many were found.
    """
    open_ones = withdrawn_with_scores().filter(competition__closed_at=None, competition__cancelled_at=None)
    return _remove_all(open_ones, at)


def remove_withdrawn_of(competition: Competition, at: datetime) -> int:
    """Remove withdrawn participants with scores from one competition; returns how many were found."""
    return _remove_all(withdrawn_with_scores().filter(competition=competition), at)


def _remove_all(rows: QuerySet[Participant], at: datetime) -> int:
    participants = list(rows)
    for participant in participants:
        remove_or_defer(participant, at)
    return len(participants)


def remove_just_withdrawn(participant: Participant, at: datetime) -> None:
    """Remove a participant whose withdrawal was committed just now. Never raises if storage is away or busy.

    The schedule retries. The withdrawal is done: if this raised, the caller would repeat it and be refused.
    """
    try:
        remove_or_defer(participant, at)
    except CONNECTION_ERRORS as error:
        logger.warning("participant %s is taken out later: %s", participant.pk, error)


def remove_or_defer(participant: Participant, at: datetime) -> None:
    """Remove a withdrawn participant from the ranking; if that is unavailable, leave it to the schedule."""
    try:
        freeze_if_due(participant.competition, at)
        remove_withdrawn_one(participant, at)
    except Unavailable as error:
        logger.warning("participant %s is taken out later: %s", participant.pk, error.detail)
