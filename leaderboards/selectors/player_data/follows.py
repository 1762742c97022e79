"""Whom a user follows. Banned players, and those hidden or shadowed everywhere, are left out while they are so.

The trap: only the user themselves may see any of it, so nothing from here goes into a page that is shared.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from foundation.db.resilience import ask
from foundation.users import User, UserKey
from leaderboards.models import Follow, Player
from leaderboards.selectors.visibility.restrictions import visible_q

MOST_FOLLOWED = 500  # players of one user; ``followed_ids`` asks for the ranks of all of them at once


@dataclass(frozen=True, slots=True)
class Followed:
    """A player and since when the user follows them."""

    player: Player
    since: datetime


def is_following(user_id: UserKey, player: Player) -> bool:
    """Return whether the user follows the player."""
    return Follow.objects.filter(user_id=user_id, player=player).exists()


def followed_ids(user_id: UserKey) -> list[str]:
    """Return the ids of at most ``MOST_FOLLOWED`` players. Raises ``SqlAway``."""
    rows = _visible(user_id).order_by("-pk").values_list("player__external_id", flat=True)
    return ask(lambda: list(rows[:MOST_FOLLOWED]))


def followed_players(user_id: UserKey, offset: int, limit: int) -> tuple[list[Followed], int]:
    """Return one page of the players, the latest followed first, and how many there are."""
    rows = _visible(user_id)
    page = rows.select_related("player").order_by("-since", "-pk")[offset : offset + limit]
    return [Followed(row.player, row.since) for row in page], rows.count()


def follows_stored(user: User) -> list[dict[str, Any]]:
    """Return every stored row of the user, for an export of their data; also of players who are not shown now."""
    rows = Follow.objects.filter(user=user).order_by("pk").values_list("player__external_id", "since")
    return [{"player": player, "since": since} for player, since in rows]


def _visible(user_id: UserKey) -> QuerySet[Follow]:
    return Follow.objects.filter(visible_q(None), user_id=user_id)
