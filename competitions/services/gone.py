"""Who stands in the ranking and takes part no more, and how one of them is taken out of it.

When that is done, and again and again, is in ``services/strays.py`` and ``services/freeze.py``.
"""

from contextlib import suppress
from datetime import datetime

from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from competitions.models import Competition, Participant
from competitions.services.locked import period_of
from leaderboards.errors import NotRanked, PeriodClosed
from leaderboards.models import Standing
from leaderboards.services.readers import tell_readers
from leaderboards.services.remove import remove_from


def strays() -> QuerySet[Participant]:
    """Participants who have left and have a score all the same. Who is disqualified keeps theirs, and is not shown."""
    standing = Standing.objects.filter(
        period__board=OuterRef("competition__board"),
        period__label=Concat(Value("c"), Cast(OuterRef("competition"), CharField())),
        player=OuterRef("player"),
        score__isnull=False,
    )
    gone = Participant.objects.filter(Q(left_at__isnull=False) & Exists(standing))
    return gone.select_related("competition__board").defer("competition__picture")


def take_out_gone_before(competition: Competition, moment: datetime, at: datetime) -> None:
    """Take out those who were gone by then and stand all the same. Raises ``Unavailable`` where that cannot be done."""
    for participant in strays().filter(left_at__lt=moment, competition=competition):
        take_out_one(participant, at)


@transaction.atomic
def take_out_one(participant: Participant, at: datetime) -> None:
    """Take them out if they are gone: their row is held, so that they cannot come back and score in between.

    Raises ``Unavailable`` where that cannot be done now.
    """
    rows = Participant.objects.select_for_update(of=("self",)).select_related("competition__board", "player")
    held = rows.defer("competition__picture").get(pk=participant.pk)
    if held.left_at is None:
        return
    period = period_of(held.competition)
    with suppress(NotRanked, PeriodClosed):  # they have no score; or the closing period leaves them out itself
        remove_from(period, held.player.external_id, at)
    tell_readers(period)
