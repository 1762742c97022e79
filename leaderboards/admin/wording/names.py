"""A player's name as text."""

from leaderboards.models import Player


def name_and_id(player: Player) -> str:
    """Return name and id, or the id only if the player has no name."""
    return f"{player.name} ({player.external_id})" if player.name else player.external_id
