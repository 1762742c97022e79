"""Whose corner of the site's header it is: their player, and what they have not read. Visitors cost no question."""

from dataclasses import dataclass

from django import template
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from competitions.selectors.notices.inbox import unread
from foundation.db.resilience import SqlAway, ask
from leaderboards.models import Player

register = template.Library()


@dataclass(frozen=True, slots=True)
class Corner:
    """The id of the user's player, and how many notices the player has not read."""

    player: str
    unread: int


@register.simple_tag
def own_corner(user: AbstractBaseUser | AnonymousUser) -> Corner | None:
    """None for those who have no player, and so no inbox.

    None also while SQL is away: the page around it may be one that Redis alone can answer.
    """
    if not user.is_authenticated:
        return None
    try:
        return ask(lambda: _corner_of(user.pk))
    except SqlAway:
        return None


def _corner_of(account: int) -> Corner | None:
    player = Player.objects.filter(user_id=account).first()
    return None if player is None else Corner(player.external_id, unread(player))
