"""Forgetting who a player is: what they said, what they were told and how, and why they were taken out, hidden or
lost a reward. That they took part stays, numbered.

Called in the transaction that gives them a number for a name (``leaderboards/services/players/erase.py``). What is
published under the name is written anew after that (``rewrite.py``).
"""

from datetime import datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet

from competitions.models import (
    Change,
    Comment,
    Invitation,
    Notice,
    Participant,
    Preference,
    Revision,
    RewardGrant,
    SeriesTotal,
)
from competitions.services.comments.likeable import KIND
from competitions.services.erasure.rewrite_results import lock_results_of
from competitions.services.reader_caches import invalidate_readers_of
from competitions.services.rewards.grants import CHUNK, REVOKED
from foundation.chunks import in_chunks
from foundation.webhooks.outbox import blank
from leaderboards.models import Player
from likes.services.forget import delete_dead_letters


def anonymize_player(player: Player, at: datetime) -> None:
    """They leave what is not closed; their words go, their notices with their e-mails, their wishes and invitations."""
    taking_part = Participant.objects.filter(Participant.TAKING_PART, player=player)
    own, comments = Participant.objects.filter(player=player), Comment.objects.filter(player=player)
    lock_results_of(player)
    _hold(own)  # a jury's act that is under way writes its record first, and is forgotten below
    leaving = taking_part.filter(competition__closed_at=None, competition__cancelled_at=None)
    for participant in leaving.select_related("competition__board").defer("competition__picture"):
        invalidate_readers_of(participant.competition)
    leaving.update(left_at=at)
    for rows in (own, comments, RewardGrant.objects.filter(player=player)):
        _forget_in_record(rows, player)
        _forget_in_log(rows)
    own.update(reason="")
    _forget_rewards(player, at)
    comments.filter(deleted_at=None).update(text="", deleted_at=at)
    comments.update(hidden_reason="")
    delete_dead_letters(KIND, [str(pk) for pk in comments.values_list("pk", flat=True)])
    # What was earned in a series stays, numbered: the total goes back to its board under that number.
    SeriesTotal.objects.filter(player=player).update(points=None, due=True)
    Notice.objects.filter(player=player).delete()
    Preference.objects.filter(player=player).delete()
    Invitation.objects.filter(external_id=player.external_id).delete()


def _hold(rows: QuerySet[Participant]) -> None:
    list(rows.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))


def _forget_in_record(rows: QuerySet[Any], player: Player) -> None:
    """The record of these rows' competitions, what was published of it, and why others lost a reward by it."""
    record = Change.objects.filter(competition__in=rows.values("competition"))
    about = record.filter(details__player=player.external_id)
    published = Revision.objects.filter(change__in=about.values("pk")).exclude(reason="")
    for number, reason in list(published.values_list("competition", "reason")):
        _forget_why_lost(RewardGrant.objects.filter(competition=number, revoked_reason=reason))
    published.update(reason="")
    about.update(details={}, reason="")


def _forget_rewards(player: Player, at: datetime) -> None:
    """Why they lost them; and nobody is left who could be told of them."""
    grants = RewardGrant.objects.filter(player=player)
    grants.filter(told_at=None).update(told_at=at)
    grants.filter(revoked_told_at=None, revoked_at__isnull=False).update(revoked_told_at=at)
    _forget_why_lost(grants)


def _forget_why_lost(grants: QuerySet[RewardGrant]) -> None:
    """On the rows, and in the messages about them that the outbox keeps."""
    numbers = list(grants.exclude(revoked_reason="").values_list("pk", flat=True))
    for some in in_chunks(numbers, CHUNK):
        blank([f"{REVOKED}-{number}" for number in some], "reason")
        RewardGrant.objects.filter(pk__in=some).update(revoked_reason="")


def _forget_in_log(rows: QuerySet[Any]) -> None:
    """The admin's log keeps that somebody was taken out or hidden, and by whom."""
    about = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(rows.model))
    about.filter(object_id__in=[str(pk) for pk in rows.values_list("pk", flat=True)]).update(change_message="")
