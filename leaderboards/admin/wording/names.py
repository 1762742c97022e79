"""Names as text: of a player, and of the first of many rows."""

from collections.abc import Sequence

from leaderboards.models import Player

MOST_NAMED = 3


def name_and_id(player: Player) -> str:
    """Return name and id, or the id only if the player has no name."""
    return f"{player.name} ({player.external_id})" if player.name else player.external_id


def first_names(names: Sequence[str]) -> str:
    """Join the first ``MOST_NAMED`` names, with dots behind them where there are more."""
    return "; ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
