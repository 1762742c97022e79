"""A player's number: their bit in the attendance bitmaps. It is assigned when first needed, without gaps, for good.

A lock serialises assignments, so that there are no gaps. The number of an erased player is not reused.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from foundation.sync import barrier
from leaderboards.models import Player
from likes.core.activity import MOST_PLAYERS
from likes.models import PlayerNumber


def ensure_number(player_id: int) -> int | None:
    """The player's number, assigned if they have none; None if all numbers are used."""
    number = _find(player_id)
    return number if number is not None else _assign(player_id)


def release_number(player: Player, _at: datetime) -> None:
    """Detach an erased player from their number; their days stay in the counts."""
    PlayerNumber.objects.filter(player=player).update(player=None)


def _find(player_id: int) -> int | None:
    return PlayerNumber.objects.filter(player_id=player_id).values_list("number", flat=True).first()


@transaction.atomic
def _assign(player_id: int) -> int | None:
    barrier.hold_exclusive(0, barrier.NUMBERS)
    number = _find(player_id)  # another process may have assigned it before we got the lock
    if number is not None:
        return number
    last = PlayerNumber.objects.aggregate(last=Max("number"))["last"]
    next_number = 0 if last is None else last + 1
    if next_number >= MOST_PLAYERS:
        return None
    return PlayerNumber.objects.create(player_id=player_id, number=next_number).number
