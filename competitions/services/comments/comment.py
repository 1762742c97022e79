"""Writing a comment on a competition, and editing and deleting one's own comment.

The player's row is locked meanwhile, so a ban or an erasure comes before or after.
"""

from datetime import datetime

from django.db import transaction

from competitions.core.comments import closes_at, digest, read_text
from competitions.errors import CommentHidden, CommentsClosed, UnknownComment
from competitions.models import Comment, Competition
from foundation.messages import Message
from leaderboards.errors import Banned
from leaderboards.models import Player
from leaderboards.services.players.profiles import lock_player


@transaction.atomic
def post_comment(competition: Competition, player: Player, text: str, form: str, at: datetime) -> Comment:
    """Add a comment. The same text from the same ``form`` (any text that identifies the form) makes one comment.

    Raises ``BadComment``, ``CommentsClosed``, ``Banned`` or ``UnknownPlayer``.
    """
    text = read_text(text)
    _refuse_closed(competition, at)
    _lock_unbanned(player)
    form_digest = digest(f"{competition.pk}\n{form}", text)
    comment, _ = Comment.objects.get_or_create(
        player=player, form=form_digest, defaults={"competition": competition, "text": text, "created_at": at}
    )
    return comment


@transaction.atomic
def edit(number: int, player: Player, text: str, at: datetime) -> Comment:
    """Change the player's own comment; it is marked as edited if the text differs.

    Raises ``UnknownComment``, ``CommentHidden``, ``BadComment``, ``CommentsClosed``, ``Banned`` or
    ``UnknownPlayer``.
    """
    text = read_text(text)
    _lock_unbanned(player)
    comment = _lock_own_comment(number, player)
    if comment.hidden_at is not None:
        raise CommentHidden(Message("A moderator has hidden this comment."))
    _refuse_closed(comment.competition, at)
    if text != comment.text:
        comment.text, comment.edited_at = text, at
        comment.save(update_fields=["text", "edited_at"])
    return comment


@transaction.atomic
def delete(number: int, player: Player, at: datetime) -> None:
    """Delete the player's own comment, at any time. Raises ``UnknownComment``, also if it was deleted before."""
    comment = _lock_own_comment(number, player)
    comment.text, comment.deleted_at = "", at
    comment.save(update_fields=["text", "deleted_at"])


def _lock_own_comment(number: int, player: Player) -> Comment:
    """Lock and return the comment. Another player's comment is unknown, as one that does not exist."""
    rows = Comment.objects.select_for_update(of=("self",)).filter(player=player, deleted_at=None)
    comment = rows.select_related("competition").defer("competition__picture").filter(pk=number).first()
    if comment is None:
        raise UnknownComment(Message("There is no such comment of yours."))
    return comment


def _refuse_closed(competition: Competition, at: datetime) -> None:
    if competition.published_at is None:
        raise CommentsClosed(Message("The competition is not published yet."))
    if closes_at(competition.ends_at, competition.cancelled_at) <= at:
        raise CommentsClosed(Message("The competition was over long ago: comments are closed."))


def _lock_unbanned(player: Player) -> None:
    if lock_player(player).banned_at is not None:
        raise Banned(Message("This player may not comment."))
