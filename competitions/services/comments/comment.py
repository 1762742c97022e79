"""Commenting on a competition: writing, and editing and deleting one's own words.

The player's row is held meanwhile: a ban, and so an erasure, comes before or after, never in between.
"""

from datetime import datetime

from django.db import transaction

from competitions.core.comments import closes_at, digest, read_text
from competitions.errors import CommentHidden, CommentsClosed, UnknownComment
from competitions.models import Comment, Competition
from leaderboards.errors import Banned
from leaderboards.models import Player
from leaderboards.services.players.profiles import lock_player


@transaction.atomic
def post_comment(competition: Competition, player: Player, text: str, form: str, at: datetime) -> Comment:
    """Add a comment; the same text from the same ``form`` (any text that names it) is one comment, however often sent.

    Raises ``BadComment``, ``CommentsClosed``, ``Banned`` or ``UnknownPlayer``.
    """
    text = read_text(text)
    _refuse_closed(competition, at)
    _admitted(player)
    posted = digest(f"{competition.pk}\n{form}", text)
    made, _ = Comment.objects.get_or_create(
        player=player, form=posted, defaults={"competition": competition, "text": text, "created_at": at}
    )
    return made


@transaction.atomic
def edit(number: int, player: Player, text: str, at: datetime) -> Comment:
    """Change one's own words, marked as edited where they are others.

    Raises ``UnknownComment``, ``CommentHidden``, ``BadComment``, ``CommentsClosed``, ``Banned`` or
    ``UnknownPlayer``.
    """
    text = read_text(text)
    _admitted(player)
    comment = _own(number, player)
    if comment.hidden_at is not None:
        raise CommentHidden("A moderator has hidden this comment.")
    _refuse_closed(comment.competition, at)
    if text != comment.text:
        comment.text, comment.edited_at = text, at
        comment.save(update_fields=["text", "edited_at"])
    return comment


@transaction.atomic
def delete(number: int, player: Player, at: datetime) -> None:
    """Take one's own words back, at any time. Raises ``UnknownComment``, also where they were deleted before."""
    comment = _own(number, player)
    comment.text, comment.deleted_at = "", at
    comment.save(update_fields=["text", "deleted_at"])


def _own(number: int, player: Player) -> Comment:
    """The comment, held. Somebody else's is as unknown as one that never was."""
    own = Comment.objects.select_for_update(of=("self",)).filter(player=player, deleted_at=None)
    found = own.select_related("competition").defer("competition__picture").filter(pk=number).first()
    if found is None:
        raise UnknownComment("There is no such comment of yours.")
    return found


def _refuse_closed(competition: Competition, at: datetime) -> None:
    if competition.published_at is None:
        raise CommentsClosed("The competition is not published yet.")
    if closes_at(competition.ends_at, competition.cancelled_at) <= at:
        raise CommentsClosed("The competition was over long ago: comments are closed.")


def _admitted(player: Player) -> None:
    if lock_player(player).banned_at is not None:
        raise Banned("This player may not comment.")
