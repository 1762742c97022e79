"""Check and save a player's notice settings."""

from collections.abc import Collection
from dataclasses import asdict, dataclass

from django.conf import settings
from django.db import transaction

from competitions.errors import BadPreference
from competitions.models import NoticeKind, Preference
from foundation.messages import Message
from leaderboards.core.periods import Calendar, PeriodKind
from leaderboards.errors import BadBoard
from leaderboards.models import Player
from leaderboards.services.players.own_profile import Correspondence
from leaderboards.services.players.profiles import lock_player

MUTABLE = (
    *(NoticeKind.FIRST_TAKEN, NoticeKind.FIRST_LOST, NoticeKind.TOP3_ENTERED, NoticeKind.TOP10_ENTERED),
    *(NoticeKind.EXTENDED, NoticeKind.CANCELLED, NoticeKind.RESULT, NoticeKind.REWARDED),
)
# A changed final place is muted together with the final place. Actions on a player (removed, brought back,
# disqualified, reinstated, a reward revoked) cannot be muted.


@dataclass(frozen=True, slots=True)
class NoticeSettings:
    """A player's settings. An empty ``timezone`` means the competition's, an empty ``language`` (of e-mails) the
    site's; there are no quiet hours if both hours are the same."""

    muted: Collection[str] = ()
    by_mail: bool = True
    timezone: str = ""
    language: str = ""
    quiet_from: int = 23
    quiet_until: int = 8


@transaction.atomic
def save_preference(player: Player, wishes: NoticeSettings) -> Preference:
    """Save the settings. Notices that are deferred already stay deferred.

    Raises ``BadPreference``, with the invalid field, or ``UnknownPlayer``.
    """
    _check(wishes)
    lock_player(player)
    values = asdict(wishes) | {"muted": sorted(set(wishes.muted))}
    return Preference.objects.update_or_create(player=player, defaults=values)[0]


def read_correspondence(player: Player) -> Correspondence:
    """Return the language of the player's e-mails and their time zone."""
    preference = Preference.objects.filter(player=player).first() or Preference(player=player)
    return Correspondence(preference.language, preference.timezone)


@transaction.atomic
def write_correspondence(player: Player, wishes: Correspondence) -> None:
    """Save language and time zone; the other settings stay. Raises ``BadPreference``, with the invalid field."""
    _check(NoticeSettings(language=wishes.language, timezone=wishes.timezone))
    lock_player(player)
    values = {"language": wishes.language, "timezone": wishes.timezone}
    Preference.objects.update_or_create(player=player, defaults=values)


def _check(wishes: NoticeSettings) -> None:
    if unknown := sorted(set(wishes.muted).difference(MUTABLE)):
        raise BadPreference(Message("%(name)s is no kind of notice.", name=repr(unknown[0][:40])), "muted")
    for field, hour in (("quiet_from", wishes.quiet_from), ("quiet_until", wishes.quiet_until)):
        if hour not in range(24):
            raise BadPreference(Message("Quiet hours begin and end at a full hour, 0 to 23."), field)
    if wishes.language and wishes.language not in dict(settings.LANGUAGES):
        raise BadPreference(
            Message("%(language)s is no language of this site.", language=repr(wishes.language[:10])), "language"
        )
    try:
        Calendar(PeriodKind.DAY, wishes.timezone or "UTC")
    except BadBoard as error:
        raise BadPreference(error.detail, "timezone") from error
