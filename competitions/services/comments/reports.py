"""Reporting a comment, and dismissing the reports of one. Hiding a comment settles its reports (``moderate.py``)."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import OwnComment, UnknownComment
from competitions.models import ChangeKind, Comment, CommentReport, ReportOutcome
from competitions.services.change_log import clean_reason, record_change
from foundation.messages import Message
from leaderboards.errors import Banned
from leaderboards.models import Player
from leaderboards.services.players.profiles import lock_player


@transaction.atomic
def report(number: int, player: Player, reason: str, at: datetime) -> CommentReport:
    """Report another player's visible comment, once: a second report changes nothing, whatever became of the first.

    Raises ``BadCompetition`` without a reason, ``UnknownComment``, ``OwnComment``, ``Banned`` or ``UnknownPlayer``.
    """
    reason = clean_reason(reason)
    if lock_player(player).banned_at is not None:
        raise Banned(Message("This player may not report comments."))
    comment = lock_comment(number)
    if comment.hidden_at is not None:
        raise UnknownComment(Message("There is no comment %(number)s.", number=number))
    if comment.player_id == player.pk:
        raise OwnComment(Message("Nobody reports their own comment."))
    made, _ = CommentReport.objects.get_or_create(
        comment=comment, player=player, defaults={"reason": reason, "created_at": at}
    )
    return made


@transaction.atomic
def dismiss(number: int, at: datetime, by: AbstractBaseUser | None) -> int:
    """Dismiss the open reports of a comment, which stays; returns how many. Idempotent. Raises ``UnknownComment``."""
    comment = lock_comment(number)
    dismissed = settle_reports(comment, ReportOutcome.DISMISSED, at, by)
    if dismissed:
        record_change(comment.competition, ChangeKind.DISMISSED, at, by, comment=comment.pk, reports=dismissed)
    return dismissed


def settle_reports(comment: Comment, outcome: ReportOutcome, at: datetime, by: AbstractBaseUser | None) -> int:
    """Settle the open reports of a locked comment; returns how many."""
    is_open = CommentReport.objects.filter(comment=comment, settled_at=None)
    return is_open.update(settled_at=at, settled_by=by.pk if by else None, outcome=outcome)


def lock_comment(number: int) -> Comment:
    """Lock and return the comment. A deleted comment is unknown. Raises ``UnknownComment``."""
    rows = Comment.objects.select_for_update(of=("self",)).select_related("competition", "player")
    comment = rows.defer("competition__picture").filter(pk=number, deleted_at=None).first()
    if comment is None:
        raise UnknownComment(Message("There is no comment %(number)s.", number=number))
    return comment
