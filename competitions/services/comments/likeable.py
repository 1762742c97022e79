"""Comments as a kind of thing that players can like: the callbacks for the likes app.

Players cannot like their own comments, so a count says how many others liked it. The page shows the author no button;
the API answers with an error.
"""

import re
from collections.abc import Collection, Mapping

from django.db import transaction
from django.db.models import QuerySet

from competitions.errors import OwnComment
from competitions.models import Comment
from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings
from leaderboards.models import Board
from likes.core.kinds import Storage
from likes.registry import Likeable

KIND = "comment"
_NUMBER = re.compile(r"[1-9][0-9]{0,18}")


def likeable() -> Likeable:
    """Return the kind ``comment``, with the storage and rate of the settings."""
    return Likeable(
        kind=KIND,
        boards=boards,
        withdrawn=withdrawn,
        storage=Storage(sunwi_settings.COMMENT_LIKES_STORAGE),
        rate=sunwi_settings.COMMENT_LIKES_RATE,
        admit=admit,
        save_totals=save_totals,
    )


def boards(things: Collection[str]) -> dict[str, Board | None]:
    """Return the boards of the visible comments: a comment may be read by those who may read its board."""
    return _boards(Comment.objects.filter(Comment.VISIBLE, pk__in=_numbers(things)))


def withdrawn(things: Collection[str]) -> dict[str, Board | None]:
    """Return the boards of the comments that are hidden or deleted."""
    return _boards(Comment.objects.filter(~Comment.VISIBLE, pk__in=_numbers(things)))


def _boards(rows: QuerySet[Comment]) -> dict[str, Board | None]:
    published = rows.exclude(competition__published_at=None)
    comments = published.select_related("competition__board").defer("competition__picture", "competition__description")
    return {str(comment.pk): comment.competition.board for comment in comments}


def admit(thing: str, player: str) -> None:
    """Refuse a like of the player's own comment. Raises ``OwnComment``."""
    if Comment.objects.filter(pk__in=_numbers([thing]), player__external_id=player).exists():
        raise OwnComment(Message("Nobody likes their own comment."))


def save_totals(totals: Mapping[str, int]) -> None:
    """Store the totals on the comments, to sort by. Rows are locked in the order of their keys, to avoid deadlocks."""
    numbers = _numbers(totals)
    with transaction.atomic():
        locked = Comment.objects.select_for_update(no_key=True).filter(pk__in=numbers).order_by("pk").only("pk")
        rows = [Comment(pk=row.pk, like_count=max(0, totals[str(row.pk)])) for row in locked]
        Comment.objects.bulk_update(rows, ["like_count"], batch_size=500)


def _numbers(things: Collection[str]) -> list[int]:
    """Return the valid comment numbers among the ids: 5, never 05, so that a comment has one id."""
    return [int(thing) for thing in things if _NUMBER.fullmatch(thing) and int(thing) < 2**63]
