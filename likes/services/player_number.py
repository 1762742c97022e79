"""A player's number: their bit in the bitmaps of attendance. Given when first needed, without gaps, once for all.

Two at once wait for each other, so that no number is left out; who is erased leaves their number to nobody.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from foundation.sync import barrier
from leaderboards.models import Player
from likes.core.activity import MOST_PLAYERS
from likes.models import PlayerNumber


def ensure_number(player_id: int) -> int | None:
    """The player's number, made if they have none; None where all are given away."""
    found = _known(player_id)
    return found if found is not None else _give(player_id)


def release_number(player: Player, _at: datetime) -> None:
    """They are erased: their days stay in the count of players, under a number that is nobody's."""
    PlayerNumber.objects.filter(player=player).update(player=None)


def _known(player_id: int) -> int | None:
    return PlayerNumber.objects.filter(player_id=player_id).values_list("number", flat=True).first()


@transaction.atomic
def _give(player_id: int) -> int | None:
    barrier.hold_exclusive(0, barrier.NUMBERS)
    found = _known(player_id)  # the one who came first gave it
    if found is not None:
        return found
    last = PlayerNumber.objects.aggregate(last=Max("number"))["last"]
    following = 0 if last is None else last + 1
    if following >= MOST_PLAYERS:
        return None
    return PlayerNumber.objects.create(player_id=player_id, number=following).number
