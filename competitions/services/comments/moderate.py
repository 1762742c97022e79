"""Hiding a comment, with a reason, and showing it again. Both are recorded as changes of the competition."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import UnknownComment
from competitions.models import ChangeKind, Comment
from competitions.services.change_log import clean_reason, record_change
from foundation.messages import Message


@transaction.atomic
def hide(number: int, reason: str, at: datetime, by: AbstractBaseUser | None) -> Comment:
    """Hide a comment from all but its author and staff. Idempotent. Raises ``UnknownComment``, ``BadCompetition``."""
    reason = clean_reason(reason)
    comment = _lock_comment(number)
    if comment.hidden_at is None:
        comment.hidden_at, comment.hidden_by_id, comment.hidden_reason = at, by.pk if by else None, reason
        _save(comment)
        _record(comment, ChangeKind.HIDDEN, at, by, reason)
    return comment


@transaction.atomic
def show(number: int, at: datetime, by: AbstractBaseUser | None) -> Comment:
    """Show a hidden comment again. Idempotent. Raises ``UnknownComment``."""
    comment = _lock_comment(number)
    if comment.hidden_at is not None:
        comment.hidden_at, comment.hidden_by_id, comment.hidden_reason = None, None, ""
        _save(comment)
        _record(comment, ChangeKind.SHOWN, at, by)
    return comment


def _lock_comment(number: int) -> Comment:
    """Lock and return the comment. A deleted comment is unknown."""
    rows = Comment.objects.select_for_update(of=("self",)).select_related("competition", "player")
    comment = rows.defer("competition__picture").filter(pk=number, deleted_at=None).first()
    if comment is None:
        raise UnknownComment(Message("There is no comment %(number)s.", number=number))
    return comment


def _save(comment: Comment) -> None:
    comment.save(update_fields=["hidden_at", "hidden_by", "hidden_reason"])


def _record(comment: Comment, kind: ChangeKind, at: datetime, by: AbstractBaseUser | None, reason: str = "") -> None:
    record_change(comment.competition, kind, at, by, reason, player=comment.player.external_id, comment=comment.pk)
