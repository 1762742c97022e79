"""A page was opened: one hit, one visitor, and the player's attendance if they are signed in.

Counting never fails a page: while Redis or SQL is away nothing is counted. Nobody is named: a guest is a keyed hash of
the month, their address and their browser, which tells them from others, is in no list, and ends with the month.
"""

import logging
from collections.abc import Collection
from datetime import datetime

from django.utils.crypto import salted_hmac

from foundation.db.resilience import StaleIfErrorCache
from foundation.errors import Unavailable
from foundation.redis import client as redis
from leaderboards.models import Player
from likes.services.player_number import ensure_number
from likes.stores.activity import ActivityStore, Visit

logger = logging.getLogger(__name__)

NUMBER_FRESH_SECONDS = 60.0


def record_user_view(page: str, user_id: int, at: datetime) -> None:
    """A signed-in user opened a page; they are one visitor wherever they sign in."""
    try:
        number = player_numbers.get(user_id)
    except Unavailable:  # SQL is away: they are counted, their player is not
        number = None
    _note(Visit(page, f"user {user_id}", number), at)


def record_guest_view(page: str, address: str, browser: str, at: datetime) -> None:
    """Somebody else opened a page, from this address, with a browser that calls itself so."""
    _note(Visit(page, guest_id(address, browser, at)), at)


def guest_id(address: str, browser: str, at: datetime) -> str:
    """Who cannot be told from whom within a month; nobody without SECRET_KEY can tell whom it stands for."""
    said = f"{at:%Y-%m}\n{address}\n{browser}"
    return salted_hmac("likes.visit.guest", said, algorithm="sha256").hexdigest()[:32]


def _note(visit: Visit, at: datetime) -> None:
    try:
        ActivityStore(redis.boards()).visit(visit, at)
    except Unavailable as error:
        logger.debug("a visit is not counted: %s", error.detail)


def _numbers(users: Collection[int]) -> dict[int, int | None]:
    """The numbers of the users' players, None for those who have no player."""
    players = dict(Player.objects.filter(user_id__in=users).values_list("user_id", "pk"))
    return {user: ensure_number(players[user]) if user in players else None for user in users}


player_numbers: StaleIfErrorCache[int, int | None] = StaleIfErrorCache(_numbers, fresh=NUMBER_FRESH_SECONDS)
