"""Record a page view: one hit, one visitor, and the player's attendance if they are signed in.

Counting never fails a page: while Redis or SQL is unavailable nothing is counted. Guests are anonymous: a guest is a
keyed hash of the month, the address and the browser, which is only added to a HyperLogLog and changes each month.
"""

import logging
from collections.abc import Collection
from datetime import datetime

from django.utils.crypto import salted_hmac

from foundation.db.resilience import StaleIfErrorCache
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.users import UserKey
from leaderboards.models import Player
from likes.services.player_number import ensure_number
from likes.stores.activity import ActivityStore, Visit

logger = logging.getLogger(__name__)

NUMBER_FRESH_SECONDS = 60.0


def record_user_view(page: str, user_id: UserKey, at: datetime) -> None:
    """Record a view by a signed-in user, who is one visitor on all devices."""
    try:
        number = player_numbers.get(user_id)
    except Unavailable:  # without SQL the visitor is counted, but not the player
        number = None
    _record(Visit(page, f"user {user_id}", number), at)


def record_guest_view(page: str, address: str, browser: str, at: datetime) -> None:
    """Record a view by a visitor without a session, by network address and user agent."""
    _record(Visit(page, guest_id(address, browser, at)), at)


def guest_id(address: str, browser: str, at: datetime) -> str:
    """A pseudonym that is stable within a month and cannot be computed without SECRET_KEY."""
    text = f"{at:%Y-%m}\n{address}\n{browser}"
    return salted_hmac("likes.visit.guest", text, algorithm="sha256").hexdigest()[:32]


def _record(visit: Visit, at: datetime) -> None:
    try:
        ActivityStore(redis.boards()).visit(visit, at)
    except Unavailable as error:
        logger.debug("a visit is not counted: %s", error.detail)


def _numbers(users: Collection[UserKey]) -> dict[UserKey, int | None]:
    """The numbers of the users' players; None for users without a player."""
    players = dict(Player.objects.filter(user_id__in=users).values_list("user_id", "pk"))
    return {user: ensure_number(players[user]) if user in players else None for user in users}


player_numbers: StaleIfErrorCache[UserKey, int | None] = StaleIfErrorCache(_numbers, fresh=NUMBER_FRESH_SECONDS)
