"""Who stands in the ranking and takes part no more, and how one of them is taken out of it.

When that is done, and again and again, is in ``services/withdrawn_with_scores.py`` and
``services/lifecycle/freeze.py``.
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
    """Participants who have left and have a score all the same. Who is disqualified keeps theirs, and is not shown."""
    standing = Standing.objects.filter(
        period__board=OuterRef("competition__board"),
        period__label=Concat(Value("c"), Cast(OuterRef("competition"), CharField())),
        player=OuterRef("player"),
        score__isnull=False,
    )
    gone = Participant.objects.filter(Q(left_at__isnull=False) & Exists(standing))
    return gone.select_related("competition__board").defer("competition__picture")


def remove_withdrawn_before(competition: Competition, moment: datetime, at: datetime) -> None:
    """Take out those who were gone by then and stand all the same. Raises ``Unavailable`` where that cannot be done."""
    for participant in withdrawn_with_scores().filter(left_at__lt=moment, competition=competition):
        remove_withdrawn_one(participant, at)


@transaction.atomic
def remove_withdrawn_one(participant: Participant, at: datetime) -> None:
    """Take them out if they are gone: their row is held, so that they cannot come back and score in between.

    Raises ``Unavailable`` where that cannot be done now.
    """
    rows = Participant.objects.select_for_update(of=("self",)).select_related("competition__board", "player")
    locked = rows.defer("competition__picture").get(pk=participant.pk)
    if locked.left_at is None:
        return
    period = get_or_open_period(locked.competition)
    with suppress(NotRanked, PeriodClosed):  # they have no score; or the closing period leaves them out itself
        remove_from_period(period, locked.player.external_id, at)
    invalidate_readers(period)
