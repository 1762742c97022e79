"""Comments, as something to like: what the likes ask of them, and what they are told.

Nobody likes their own comment: a count says how many others liked it. The page offers them no button; the API says why.
"""

import re
from collections.abc import Collection, Mapping

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from competitions.errors import OwnComment
from competitions.models import Comment
from leaderboards.models import Board
from likes.core.kinds import Storage
from likes.registry import Likeable

KIND = "comment"
_NUMBER = re.compile(r"[1-9][0-9]{0,18}")


def likeable() -> Likeable:
    """The kind ``comment``, kept as the settings say."""
    return Likeable(
        kind=KIND,
        boards=boards,
        withdrawn=withdrawn,
        storage=Storage(settings.COMMENT_LIKES_STORAGE),
        rate=settings.COMMENT_LIKES_RATE,
        admit=admit,
        save_totals=save_totals,
    )


def boards(things: Collection[str]) -> dict[str, Board | None]:
    """Of the comments that anybody may read, the boards: anybody who may read the board may read them."""
    return _boards(Comment.objects.filter(Comment.VISIBLE, pk__in=_numbers(things)))


def withdrawn(things: Collection[str]) -> dict[str, Board | None]:
    """Of the comments that a moderator has hidden, or their author deleted, the boards."""
    return _boards(Comment.objects.filter(~Comment.VISIBLE, pk__in=_numbers(things)))


def _boards(rows: QuerySet[Comment]) -> dict[str, Board | None]:
    published = rows.exclude(competition__published_at=None)
    found = published.select_related("competition__board").defer("competition__picture", "competition__description")
    return {str(row.pk): row.competition.board for row in found}


def admit(thing: str, player: str) -> None:
    """Raises ``OwnComment``."""
    if Comment.objects.filter(pk__in=_numbers([thing]), player__external_id=player).exists():
        raise OwnComment("Nobody likes their own comment.")


def save_totals(totals: Mapping[str, int]) -> None:
    """Keep the totals beside the comments, to sort by. Rows are held in one order, so that two at once never wait
    for each other."""
    numbers = _numbers(totals)
    with transaction.atomic():
        locked = Comment.objects.select_for_update(no_key=True).filter(pk__in=numbers).order_by("pk").only("pk")
        rows = [Comment(pk=row.pk, like_count=max(0, totals[str(row.pk)])) for row in locked]
        Comment.objects.bulk_update(rows, ["like_count"], batch_size=500)


def _numbers(things: Collection[str]) -> list[int]:
    """What of these ids can be a comment's: 5, never 05, so that a comment has one name."""
    return [int(thing) for thing in things if _NUMBER.fullmatch(thing) and int(thing) < 2**63]
