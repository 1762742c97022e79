"""The inbox of a player: notices that are not deferred, dropped or merged, latest first."""

from competitions.models import Notice
from leaderboards.models import Player


def inbox(player: Player, limit: int = 50) -> list[Notice]:
    """Return the latest notices, with all that ``sentences`` needs."""
    rows = Notice.objects.filter(Notice.IN_INBOX, player=player).select_related(
        "competition__board", "change", "revision", "grant", "grant_before", "player__preference"
    )
    merged = ("merged__change", "merged__revision", "merged__grant", "merged__grant_before", "merged__merged__change")
    return list(rows.defer("competition__picture").prefetch_related(*merged)[:limit])


def latest_unread(player: Player, limit: int) -> list[Notice]:
    """Return the latest unread notices with what ``subject`` needs."""
    rows = Notice.objects.filter(Notice.IN_INBOX, player=player, read_at=None).select_related("competition__board")
    return list(rows.defer("competition__picture", "competition__description")[:limit])


def unread(player: Player) -> int:
    """Count the unread notices."""
    return Notice.objects.filter(Notice.IN_INBOX, player=player, read_at=None).count()
