"""The notice settings of players."""

from django.conf import settings

from competitions.models import Notice, Preference
from foundation.users import User
from leaderboards.models import Player


def preference_of(player: Player) -> Preference:
    """Return the player's settings, or the defaults (unsaved)."""
    stored: Preference | None = getattr(player, "preference", None)
    return stored or Preference(player=player)


def zone_of(notice: Notice) -> str:
    """Return the time zone for the player of a notice: their own, else the competition's."""
    return preference_of(notice.player).timezone or notice.competition.timezone


def asked_language(user: User) -> str:
    """Return the language that an account's player chose; empty if they chose none, or there is no player."""
    return Preference.objects.filter(player__user=user).values_list("language", flat=True).first() or ""


def language_of(notice: Notice) -> str:
    """Return the language of a notice's e-mail: the player's if the site still has it, else the site's."""
    chosen = preference_of(notice.player).language
    return chosen if chosen in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
