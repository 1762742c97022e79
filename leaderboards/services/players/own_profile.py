"""A user's own profile: name, country and picture of their player, as far as the site lets players change them.

Language and time zone of what another app sends (mails, notices) are kept by that app, which registers here.
What the game sends later replaces what the player chose.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from foundation.errors import Forbidden, InvalidField
from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.input.names import (
    BIDI_CONTROL_MESSAGE,
    UNPRINTABLE_MESSAGE,
    has_bidi_control,
    is_printable,
)
from leaderboards.core.input.picture_hosts import why_refused
from leaderboards.core.input.profiles import profile_errors
from leaderboards.models import Player
from leaderboards.services.players.profiles import lock_player, refuse_erased, set_profile

FIELDS = {"name": "name", "country": "country", "picture": "avatar_url"}  # by the word in PLAYERS_EDIT


class BadProfile(InvalidField):
    """A value that a profile cannot have; ``field`` is its column."""

    code = "invalid_profile"


@dataclass(frozen=True, slots=True)
class Correspondence:
    """The language of mails to a player and their time zone; empty: the site's, and the competition's."""

    language: str = ""
    timezone: str = ""


Read = Callable[[Player], Correspondence]
Write = Callable[[Player, Correspondence], None]
_keepers: list[tuple[Read, Write]] = []


def register_correspondence(read: Read, write: Write) -> None:
    """Register who keeps language and time zone. ``write`` raises ``Invalid``, with ``field`` if it is known."""
    if (read, write) not in _keepers:
        _keepers.append((read, write))


def correspondence_of(player: Player) -> Correspondence | None:
    """Return language and time zone of a player; None if no app keeps them."""
    return next((read(player) for read, _ in _keepers), None)


def editable_fields() -> list[str]:
    """Return the columns that players may change; the picture only where hosts of pictures are allowed."""
    allowed = [each for each in sunwi_settings.PLAYERS_EDIT if each != "picture" or sunwi_settings.PICTURE_HOSTS]
    return [FIELDS[each] for each in allowed]


@transaction.atomic
def change_own_profile(
    player: Player, profile: Mapping[str, str], correspondence: Correspondence | None, at: datetime
) -> None:
    """Set the columns in ``profile`` and, if given, language and time zone; all or nothing.

    Raises ``BadProfile`` with the field, ``Forbidden`` for players who are banned and for columns that may not be
    changed, and ``UnknownPlayer``.
    """
    locked = lock_player(player)
    refuse_erased(locked)
    changed = {field: value for field, value in profile.items() if getattr(locked, field) != value}
    _check(locked, changed)
    if changed:
        set_profile(locked.external_id, changed, at)
    if correspondence is not None:
        for _, write in _keepers:
            write(locked, correspondence)


def _check(player: Player, changed: Mapping[str, str]) -> None:
    if changed and player.banned_at is not None:
        raise Forbidden(Message("Moderators have banned you: name, country and picture stay as they are."))
    if any(field not in editable_fields() for field in changed):
        raise Forbidden(Message("This site leaves name, country and picture to the game."))
    if "name" in changed:
        _check_name(changed["name"])
    if changed.get("avatar_url"):
        _check_address(changed["avatar_url"])
    for field in profile_errors(changed):
        raise BadProfile(Message("This is not a value that a profile can have."), field)


def _check_name(name: str) -> None:
    if has_bidi_control(name):
        raise BadProfile(BIDI_CONTROL_MESSAGE, "name")
    if not is_printable(name):
        raise BadProfile(UNPRINTABLE_MESSAGE, "name")


def _check_address(address: str) -> None:
    if why_refused(address, sunwi_settings.PICTURE_HOSTS):
        hosts = ", ".join(sunwi_settings.PICTURE_HOSTS)
        raise BadProfile(Message("Pictures are taken from https addresses at: %(hosts)s.", hosts=hosts), "avatar_url")
