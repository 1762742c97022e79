"""Marking notices as read."""

from collections.abc import Collection
from datetime import datetime

from competitions.models import Notice
from leaderboards.models import Player


def mark_read(player: Player, at: datetime, notices: Collection[int] | None = None) -> int:
    """Mark the player's notices with these numbers, or all, as read; returns how many were unread."""
    unread = Notice.objects.filter(Notice.IN_INBOX, player=player, read_at=None)
    if notices is not None:
        unread = unread.filter(pk__in=notices)
    return unread.update(read_at=at)
