"""What a player has been told: notices that are neither held, dropped nor merged into another, latest first."""

from competitions.models import Notice
from leaderboards.models import Player


def inbox(player: Player, limit: int = 50) -> list[Notice]:
    """Their latest notices, with what their sentences need."""
    rows = Notice.objects.filter(Notice.IN_INBOX, player=player).select_related(
        "competition__board", "change", "revision", "grant", "grant_before", "player__preference"
    )
    merged = ("merged__change", "merged__revision", "merged__grant", "merged__grant_before", "merged__merged__change")
    return list(rows.defer("competition__picture").prefetch_related(*merged)[:limit])


def unread(player: Player) -> int:
    """How many of them they have not read."""
    return Notice.objects.filter(Notice.IN_INBOX, player=player, read_at=None).count()
