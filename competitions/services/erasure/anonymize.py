"""Erase a player's personal data: comments, notices, invitations and settings, and the reasons of actions against them.

Their participations and results stay, under an anonymous number. This runs in the transaction that replaces their name
(``leaderboards/services/players/erase.py``). Published results are rewritten after it (``rewrite_results.py``).
"""

from datetime import datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Q, QuerySet

from competitions.models import (
    Change,
    Comment,
    CommentReport,
    Invitation,
    Notice,
    Participant,
    Preference,
    PushSubscription,
    Revision,
    RewardGrant,
    SeriesTotal,
    StartReminder,
)
from competitions.services.comments.likeable import KIND
from competitions.services.erasure.rewrite_results import lock_results_of
from competitions.services.reader_caches import invalidate_readers_of
from competitions.services.rewards.grants import CHUNK, revoked_message_ids
from foundation.chunks import in_chunks
from foundation.webhooks.outbox import blank
from leaderboards.models import Player
from likes.services.forget import delete_dead_letters


def anonymize_player(player: Player, at: datetime) -> None:
    """Withdraw the player from open competitions; delete comments, reports, notices, reminders, e-mails, settings."""
    taking_part = Participant.objects.filter(Participant.TAKING_PART, player=player)
    participations, comments = Participant.objects.filter(player=player), Comment.objects.filter(player=player)
    lock_results_of(player)
    _lock(participations)  # an action of a jury that is under way commits first, and is erased below
    leaving = taking_part.filter(competition__closed_at=None, competition__cancelled_at=None)
    for participant in leaving.select_related("competition__board").defer("competition__picture"):
        invalidate_readers_of(participant.competition)
    leaving.update(left_at=at)
    for rows in (participations, comments, RewardGrant.objects.filter(player=player)):
        _erase_changes(rows, player)
        _erase_admin_log(rows)
    participations.update(reason="")
    _erase_reward_reasons(player, at)
    comments.filter(deleted_at=None).update(text="", deleted_at=at)
    comments.update(hidden_reason="")
    CommentReport.objects.filter(Q(player=player) | Q(comment__player=player)).delete()
    delete_dead_letters(KIND, [str(pk) for pk in comments.values_list("pk", flat=True)])
    # Points of a series stay under the anonymous number: the total is written to the board again.
    SeriesTotal.objects.filter(player=player).update(points=None, due=True)
    Notice.objects.filter(player=player).delete()
    Preference.objects.filter(player=player).delete()
    StartReminder.objects.filter(player=player).delete()
    PushSubscription.objects.filter(player=player).delete()
    Invitation.objects.filter(external_id=player.external_id).delete()


def _lock(rows: QuerySet[Participant]) -> None:
    list(rows.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))


def _erase_changes(rows: QuerySet[Any], player: Player) -> None:
    """Blank the changes about the player, and the reasons copied from them to revisions and revoked rewards."""
    changes = Change.objects.filter(competition__in=rows.values("competition"))
    about = changes.filter(details__player=player.external_id)
    published = Revision.objects.filter(change__in=about.values("pk")).exclude(reason="")
    for number, reason in list(published.values_list("competition", "reason")):
        _blank_revoked_reasons(RewardGrant.objects.filter(competition=number, revoked_reason=reason))
    published.update(reason="")
    about.update(details={}, reason="")


def _erase_reward_reasons(player: Player, at: datetime) -> None:
    """Blank why the player lost rewards, and mark the rewards as notified: nobody is left to notify."""
    grants = RewardGrant.objects.filter(player=player)
    grants.filter(told_at=None).update(told_at=at)
    grants.filter(revoked_told_at=None, revoked_at__isnull=False).update(revoked_told_at=at)
    _blank_revoked_reasons(grants)


def _blank_revoked_reasons(grants: QuerySet[RewardGrant]) -> None:
    """Blank the reasons on the grants, and in their webhook messages in the outbox."""
    for some in in_chunks(list(grants.exclude(revoked_reason="")), CHUNK):
        blank(revoked_message_ids(some), "reason")
        RewardGrant.objects.filter(pk__in=[grant.pk for grant in some]).update(revoked_reason="")


def _erase_admin_log(rows: QuerySet[Any]) -> None:
    """Blank the messages of the admin's log; who did what and when stays."""
    about = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(rows.model))
    about.filter(object_id__in=[str(pk) for pk in rows.values_list("pk", flat=True)]).update(change_message="")
