"""The inbox in the site's header. For visitors who are not signed in it makes no query."""

from django import template
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from competitions.selectors.notices.inbox import unread
from foundation.db.resilience import SqlAway, ask
from leaderboards.models import Player

register = template.Library()


@register.simple_tag
def unread_notices(user: AbstractBaseUser | AnonymousUser) -> int | None:
    """Return how many notices the user's player has not read; None for users without a player.

    None also while SQL is away, because Redis alone may answer the page around it.
    """
    if not user.is_authenticated:
        return None
    try:
        return ask(lambda: _unread_of(user.pk))
    except SqlAway:
        return None


def _unread_of(account: int) -> int | None:
    player = Player.objects.filter(user_id=account).first()
    return None if player is None else unread(player)
