"""Strays: who stands in the ranking and takes part no more. They are taken out, and the others move up.

Who leaves is taken out at once; a score that was under way then may bring them back, and Redis may be away. So
the schedule looks again, and a closing period leaves out those who are gone (``Competitions.gone``).
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
    """Take out the strays of every competition that is neither closed nor cancelled; returns how many were found."""
    return _take_out_all(
        withdrawn_with_scores().filter(competition__closed_at=None, competition__cancelled_at=None), at
    )


def remove_withdrawn_of(competition: Competition, at: datetime) -> int:
    """The same in one competition."""
    return _take_out_all(withdrawn_with_scores().filter(competition=competition), at)


def _take_out_all(gone: QuerySet[Participant], at: datetime) -> int:
    found = list(gone)
    for participant in found:
        remove_or_defer(participant, at)
    return len(found)


def remove_just_withdrawn(participant: Participant, at: datetime) -> None:
    """Take out one whose mark was committed just now. Never raises for what is away or busy: the schedule looks again.

    The caller's deed is done, so a caller who is told otherwise would ask for it again and be refused.
    """
    try:
        remove_or_defer(participant, at)
    except CONNECTION_ERRORS as error:
        logger.warning("participant %s is taken out later: %s", participant.pk, error)


def remove_or_defer(participant: Participant, at: datetime) -> None:
    """Take one who is gone out of the ranking; while that cannot be done it waits for the schedule."""
    try:
        freeze_if_due(participant.competition, at)
        remove_withdrawn_one(participant, at)
    except Unavailable as error:
        logger.warning("participant %s is taken out later: %s", participant.pk, error.detail)
