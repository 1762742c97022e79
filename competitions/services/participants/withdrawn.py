"""Find withdrawn participants who still have a standing, and remove one of them from the ranking.

``services/participants/remove_withdrawn.py`` and ``services/lifecycle/freeze.py`` decide when.
"""

from contextlib import suppress
from datetime import datetime

from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from competitions.models import Competition, Participant
from competitions.services.locks import get_or_open_period
from leaderboards.errors import NotRanked, PeriodClosed
from leaderboards.models import Standing
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.sync.invalidate import invalidate_readers


def withdrawn_with_scores() -> QuerySet[Participant]:
    """Return participants who have left but still have a score. (Disqualified players keep theirs, but are hidden.)"""
    standing = Standing.objects.filter(
        period__board=OuterRef("competition__board"),
        period__label=Concat(Value("c"), Cast(OuterRef("competition"), CharField())),
        player=OuterRef("player"),
        score__isnull=False,
    )
    withdrawn = Participant.objects.filter(Q(left_at__isnull=False) & Exists(standing))
    return withdrawn.select_related("competition__board").defer("competition__picture")


def remove_withdrawn_before(competition: Competition, moment: datetime, at: datetime) -> None:
    """Remove players who had left before ``moment`` but still have a score. Raises ``Unavailable``."""
    for participant in withdrawn_with_scores().filter(left_at__lt=moment, competition=competition):
        remove_withdrawn_one(participant, at)


@transaction.atomic
def remove_withdrawn_one(participant: Participant, at: datetime) -> None:
    """Remove the participant's standing if they have left. The row is locked: they cannot rejoin and score meanwhile.

    Raises ``Unavailable`` if that cannot be done now.
    """
    rows = Participant.objects.select_for_update(of=("self",)).select_related("competition__board", "player")
    locked = rows.defer("competition__picture").get(pk=participant.pk)
    if locked.left_at is None:
        return
    period = get_or_open_period(locked.competition)
    with suppress(NotRanked, PeriodClosed):  # without a score; or the closing period excludes them itself
        remove_from_period(period, locked.player.external_id, at)
    invalidate_readers(period)
