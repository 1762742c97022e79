"""What a game server says about a player: name, avatar, country."""

from datetime import datetime

from leaderboards.errors import BadEntry
from leaderboards.models import Player
from leaderboards.selectors.names import forget_names
from leaderboards.stores.sql_writes import ensure_players

FIELDS = ("name", "avatar_url", "country")


def ensure_player(external_id: str, at: datetime) -> Player:
    """The player of this id, made if he is unknown."""
    return ensure_players([external_id], at)[external_id]


def set_profile(external_id: str, profile: dict[str, str], at: datetime) -> Player:
    """Set those of ``FIELDS`` that ``profile`` names; the player is made if unknown. Raises ``BadEntry``."""
    unknown = [field for field in profile if field not in FIELDS]
    if unknown:
        raise BadEntry(f"A player has no {unknown[0]!r}; he has {', '.join(FIELDS)}.")
    player = ensure_player(external_id, at)
    for field, text in profile.items():
        setattr(player, field, text)
    player.save(update_fields=[*profile]) if profile else None
    forget_names()
    return player
