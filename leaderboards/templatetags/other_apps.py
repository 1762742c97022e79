"""The site's header and search, which show something of competitions where they are installed."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from foundation.db.resilience import SqlAway, ask
from leaderboards.models import Player
from leaderboards.views.components import other_apps

register = template.Library()


@dataclass(frozen=True, slots=True)
class Corner:
    """The user's player, and the number of unread notices."""

    player: Player
    unread: int


@register.filter
def is_installed(app: str) -> bool:
    """Whether the project has this app, and so its addresses: ``{% if "competitions"|is_installed %}``."""
    return apps.is_installed(app)


@register.simple_tag(takes_context=True)
def found_elsewhere(context: dict[str, Any], sought: str) -> list[Any]:
    """Return the competitions with ``sought`` in their name that the viewer may see; none without that app."""
    return other_apps.find(context["request"], sought)


@register.simple_tag
def own_corner(user: AbstractBaseUser | AnonymousUser) -> Corner | None:
    """Return the user's player and unread notices; None for users without a player. Anonymous visitors cause no query.

    None also while SQL is unavailable, because pages that need only Redis must still work.
    """
    if not user.is_authenticated:
        return None
    try:
        return ask(lambda: _corner_of(user))
    except SqlAway:
        return None


def _corner_of(user: AbstractBaseUser | AnonymousUser) -> Corner | None:
    player: Player | None = getattr(user, "player", None)
    return None if player is None else Corner(player, other_apps.count_unread(player))
