"""Comments on a competition, by page, with the likes of a page in one round trip.

Comments that a reader may not read are neither listed nor counted. The trap: sorting by likes uses the count stored on
the row, which is about a second behind the displayed one.
"""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from django.db.models import Q, QuerySet

from competitions.errors import UnknownComment
from competitions.models import Comment, Competition
from foundation.db.resilience import SqlAway
from foundation.messages import Message
from leaderboards.models import Player
from likes import selectors as likes
from likes.errors import UnknownThing
from likes.selectors.most_liked import RANKED_AT_MOST, most_liked
from likes.stores.base import Liker, LikeSummary

logger = logging.getLogger(__name__)

KIND = "comment"
LARGEST_NUMBER = 2**63 - 1
FIRST_BATCH = 100  # of the site's most liked comments; the others are read only if these do not fill the list


class Order(StrEnum):
    """Which comments come first."""

    NEWEST = "newest"
    LIKES = "likes"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: players also see their own hidden comments, staff see all hidden comments."""

    player: Player | None = None
    sees_hidden: bool = False

    @property
    def name(self) -> str | None:
        """The player's external id."""
        return self.player.external_id if self.player else None

    @property
    def readable(self) -> Q:
        """The condition for comments that they may read."""
        if self.sees_hidden:
            return Q(deleted_at=None)
        return Comment.VISIBLE | Q(deleted_at=None, player=self.player) if self.player else Comment.VISIBLE


ANYBODY = Reader()


@dataclass(frozen=True, slots=True)
class CommentWithLikes:
    """A comment with its likes as the reader sees them."""

    comment: Comment
    likes: LikeSummary


@dataclass(frozen=True, slots=True)
class Comments:
    """A page of comments, and the total."""

    total: int
    rows: list[CommentWithLikes]


@dataclass(frozen=True, slots=True)
class LikedBy:
    """A page of the players who like a comment, with their names, and the total."""

    total: int
    rows: list[tuple[Liker, str]]
    live: bool


def comments(
    competition: Competition, order: Order = Order.NEWEST, offset: int = 0, limit: int = 20, reader: Reader = ANYBODY
) -> Comments:
    """Return a page of the comments that the reader may read."""
    rows = _readable(competition, reader)
    ordered = rows.order_by("-like_count", "-pk") if order is Order.LIKES else rows.order_by("-pk")
    return Comments(rows.count(), _with_likes(list(ordered[offset : offset + limit]), reader))


def comment_by_id(competition: Competition, number: int, reader: Reader = ANYBODY) -> Comment:
    """Return the comment, if the reader may read it. Raises ``UnknownComment``."""
    comment = _readable(competition, reader).filter(pk=number).first() if number <= LARGEST_NUMBER else None
    if comment is None:
        raise UnknownComment(Message("There is no comment %(number)s.", number=number))
    return comment


def comment_to_unlike(competition: Competition, number: int, player: Player) -> Comment:
    """Return a comment that the player may unlike, even if it was hidden since. Raises ``UnknownComment``."""
    try:
        likes.board_for_unlike(KIND, str(number), player.external_id)
        return Comment.objects.select_related("player").get(competition=competition, pk=number)
    except (UnknownThing, Comment.DoesNotExist) as error:
        raise UnknownComment(Message("There is no comment %(number)s.", number=number)) from error


def newer_than(comment: Comment, reader: Reader = ANYBODY) -> int:
    """Count the readable comments that are newer than this one: its offset when sorted by newest first."""
    return _readable(comment.competition, reader).filter(pk__gt=comment.pk).count()


def most_liked_today(competition: Competition, at: datetime, limit: int) -> list[Comment]:
    """Return its comments with the most likes on this UTC day, among the 1,000 most liked of the site, best first.

    The list is empty while SQL is too slow or away: the page shows all comments without it.
    """
    try:
        best = [int(each.thing) for each in most_liked(KIND, at.astimezone(UTC).date(), RANKED_AT_MOST)]
    except SqlAway as error:
        logger.warning("the comments that were liked most today are not shown now: %s", error.detail)
        return []
    comments: list[Comment] = []
    for numbers in (best[:FIRST_BATCH], best[FIRST_BATCH:]):
        rows = _readable(competition, ANYBODY).in_bulk(numbers) if numbers and len(comments) < limit else {}
        comments += [rows[number] for number in numbers if number in rows]
    return comments[:limit]


def likers(comment: Comment, offset: int, limit: int) -> LikedBy:
    """Return a page of the players who like the comment, newest like first, with their names."""
    page = likes.likers(KIND, str(comment.pk), offset, limit)
    ids = [liker.player for liker in page.rows]
    names = {player.external_id: str(player) for player in Player.objects.filter(external_id__in=ids)}
    return LikedBy(page.total, [(liker, names.get(liker.player, liker.player)) for liker in page.rows], page.live)


def _readable(competition: Competition, reader: Reader) -> QuerySet[Comment]:
    return Comment.objects.filter(reader.readable, competition=competition).select_related("player")


def _with_likes(rows: list[Comment], reader: Reader) -> list[CommentWithLikes]:
    summaries = likes.read_like_summaries(KIND, [str(row.pk) for row in rows], reader.name) if rows else {}
    return [
        CommentWithLikes(row, summaries.get(str(row.pk), LikeSummary(row.like_count, 0, live=False))) for row in rows
    ]
