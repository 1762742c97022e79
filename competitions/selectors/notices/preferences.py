"""How a player wants to be told."""

from django.conf import settings
from django.contrib.auth.models import User

from competitions.models import Notice, Preference
from leaderboards.models import Player


def preference_of(player: Player) -> Preference:
    """Their own wishes; without a row, what holds for everybody."""
    stored: Preference | None = getattr(player, "preference", None)
    return stored or Preference(player=player)


def zone_of(notice: Notice) -> str:
    """The zone on whose clock the player of a notice lives: their own, else the competition's."""
    return preference_of(notice.player).timezone or notice.competition.timezone


def asked_language(user: User) -> str:
    """The language that the player of an account asked for; empty where they did not, or there is none."""
    return Preference.objects.filter(player__user=user).values_list("language", flat=True).first() or ""


def language_of(notice: Notice) -> str:
    """The language that its e-mail is written in: the player's, else the site's, also where theirs is gone from it."""
    chosen = preference_of(notice.player).language
    return chosen if chosen in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
