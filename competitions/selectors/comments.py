"""What has been said about a competition, a page at a time, with the likes of all of it in one round trip.

Anybody who may not read a comment does not learn that there is one: it is neither listed nor counted. The trap: sorting
by likes goes by the row's own count, which is a second or so behind the one that is shown.
"""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from django.db.models import Q, QuerySet

from competitions.errors import UnknownComment
from competitions.models import Comment, Competition
from foundation.db.resilience import SqlAway
from leaderboards.models import Player
from likes import selectors as likes
from likes.errors import UnknownThing
from likes.selectors.most_liked import RANKED_AT_MOST, most_liked
from likes.stores.base import Liker, LikeSummary

logger = logging.getLogger(__name__)

KIND = "comment"
LARGEST_NUMBER = 2**63 - 1
LOOKED_AT_FIRST = 100  # of the site's best; the others where these do not fill the list


class Order(StrEnum):
    """Which comments come first."""

    NEWEST = "newest"
    LIKES = "likes"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: a player sees what was hidden of their own, those who run the site see all of it."""

    player: Player | None = None
    sees_hidden: bool = False

    @property
    def name(self) -> str | None:
        """The game's id of the player."""
        return self.player.external_id if self.player else None

    @property
    def readable(self) -> Q:
        """What of all comments they may read."""
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
    """Some comments, and how many there are."""

    total: int
    rows: list[CommentWithLikes]


@dataclass(frozen=True, slots=True)
class LikedBy:
    """Some of those who like a comment, each with their name, and how many there are."""

    total: int
    rows: list[tuple[Liker, str]]
    live: bool


def comments(
    competition: Competition, order: Order = Order.NEWEST, offset: int = 0, limit: int = 20, reader: Reader = ANYBODY
) -> Comments:
    """A page of what the reader may read."""
    rows = _readable(competition, reader)
    ordered = rows.order_by("-like_count", "-pk") if order is Order.LIKES else rows.order_by("-pk")
    return Comments(rows.count(), _with_likes(list(ordered[offset : offset + limit]), reader))


def comment_by_id(competition: Competition, number: int, reader: Reader = ANYBODY) -> Comment:
    """The comment, if the reader may read it. Raises ``UnknownComment``."""
    found = _readable(competition, reader).filter(pk=number).first() if number <= LARGEST_NUMBER else None
    if found is None:
        raise UnknownComment(f"There is no comment {number}.")
    return found


def comment_to_unlike(competition: Competition, number: int, player: Player) -> Comment:
    """A comment whose like the player may take back: also one that was hidden since. Raises ``UnknownComment``."""
    try:
        likes.board_for_unlike(KIND, str(number), player.external_id)
        return Comment.objects.select_related("player").get(competition=competition, pk=number)
    except (UnknownThing, Comment.DoesNotExist) as error:
        raise UnknownComment(f"There is no comment {number}.") from error


def newer_than(comment: Comment, reader: Reader = ANYBODY) -> int:
    """How many of the comments that the reader may read come before this one, the newest first."""
    return _readable(comment.competition, reader).filter(pk__gt=comment.pk).count()


def most_liked_today(competition: Competition, at: datetime, limit: int) -> list[Comment]:
    """Those of its comments that got most likes on this UTC day, the most first, if they are of the site's best 1,000.

    None while SQL has no time to count: the page has all comments without it.
    """
    try:
        best = [int(each.thing) for each in most_liked(KIND, at.astimezone(UTC).date(), RANKED_AT_MOST)]
    except SqlAway as error:
        logger.warning("the comments that were liked most today are not shown now: %s", error.detail)
        return []
    found: list[Comment] = []
    for numbers in (best[:LOOKED_AT_FIRST], best[LOOKED_AT_FIRST:]):
        rows = _readable(competition, ANYBODY).in_bulk(numbers) if numbers and len(found) < limit else {}
        found += [rows[number] for number in numbers if number in rows]
    return found[:limit]


def likers(comment: Comment, offset: int, limit: int) -> LikedBy:
    """Who likes it, the newest first, each with their name."""
    found = likes.likers(KIND, str(comment.pk), offset, limit)
    ids = [liker.player for liker in found.rows]
    names = {player.external_id: str(player) for player in Player.objects.filter(external_id__in=ids)}
    return LikedBy(found.total, [(liker, names.get(liker.player, liker.player)) for liker in found.rows], found.live)


def _readable(competition: Competition, reader: Reader) -> QuerySet[Comment]:
    return Comment.objects.filter(reader.readable, competition=competition).select_related("player")


def _with_likes(rows: list[Comment], reader: Reader) -> list[CommentWithLikes]:
    found = likes.read_like_summaries(KIND, [str(row.pk) for row in rows], reader.name) if rows else {}
    return [CommentWithLikes(row, found.get(str(row.pk), LikeSummary(row.like_count, 0, live=False))) for row in rows]
