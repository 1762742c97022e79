"""The inbox in the site's header. Visitors who are not signed in cost no question."""

from django import template
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from competitions.selectors.inbox import unread
from leaderboards.models import Player

register = template.Library()


@register.simple_tag
def unread_notices(user: AbstractBaseUser | AnonymousUser) -> int | None:
    """How many the user's player has not read; None for those who have no player, and so no inbox."""
    player = Player.objects.filter(user_id=user.pk).first() if user.is_authenticated else None
    return None if player is None else unread(player)
