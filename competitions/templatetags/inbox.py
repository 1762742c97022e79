"""The user's player and unread notices, for the site's header. For visitors who are not signed in it makes no query."""

from dataclasses import dataclass

from django import template
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from competitions.selectors.notices.inbox import unread
from foundation.db.resilience import SqlAway, ask
from leaderboards.models import Player

register = template.Library()


@dataclass(frozen=True, slots=True)
class Corner:
    """The id of the user's player, and the number of unread notices."""

    player: str
    unread: int


@register.simple_tag
def own_corner(user: AbstractBaseUser | AnonymousUser) -> Corner | None:
    """Return the user's player and unread notices; None for users without a player, who have no inbox.

    None also while SQL is away, because Redis alone may answer the page around it.
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
