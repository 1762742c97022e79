"""Strays: who stands in the ranking and takes part no more. They are taken out, and the others move up.

Who leaves is taken out at once; a score that was under way then may bring him back, and Redis may be away. So
the schedule looks again, and a closing period leaves out whoever is gone (``Competitions.gone``).
"""

import logging
from contextlib import suppress
from datetime import datetime

from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Cast, Concat

from competitions.models import Competition, Participant
from competitions.services.freeze import freeze_if_due
from competitions.services.locked import period_of
from foundation.errors import Unavailable
from leaderboards.errors import NotRanked, PeriodClosed
from leaderboards.models import Standing
from leaderboards.services.remove import remove_from

logger = logging.getLogger(__name__)


def take_out_due(at: datetime) -> int:
    """Take out the strays of every competition that is neither final nor cancelled; returns how many were found."""
    return _take_out_all(_strays().filter(competition__final_at=None, competition__cancelled_at=None), at)


def take_out_strays(competition: Competition, at: datetime) -> int:
    """The same in one competition."""
    return _take_out_all(_strays().filter(competition=competition), at)


def _strays() -> QuerySet[Participant]:
    """Participants who are gone and have a score all the same."""
    standing = Standing.objects.filter(
        period__board=OuterRef("competition__board"),
        period__label=Concat(Value("c"), Cast(OuterRef("competition"), CharField())),
        player=OuterRef("player"),
        score__isnull=False,
    )
    gone = Participant.objects.filter(~Participant.TAKING_PART & Exists(standing))
    return gone.select_related("competition__board").defer("competition__picture")


def _take_out_all(strays: QuerySet[Participant], at: datetime) -> int:
    found = list(strays)
    for participant in found:
        take_out(participant, at)
    return len(found)


def take_out(participant: Participant, at: datetime) -> None:
    """Take one who is gone out of the ranking; while that cannot be done it waits for the schedule."""
    try:
        freeze_if_due(participant.competition, at)
        _take_out(participant, at)
    except Unavailable as error:
        logger.warning("participant %s is taken out later: %s", participant.pk, error.detail)


@transaction.atomic
def _take_out(participant: Participant, at: datetime) -> None:
    """Hold his row, so that he cannot come back and score in between."""
    rows = Participant.objects.select_for_update(of=("self",)).select_related("competition__board", "player")
    held = rows.defer("competition__picture").get(pk=participant.pk)
    if held.takes_part:
        return
    period = period_of(held.competition)
    with suppress(NotRanked, PeriodClosed):  # he has no score; or the closing period leaves him out itself
        remove_from(period, held.player.external_id, at)
