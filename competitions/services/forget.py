"""Forgetting who a player is: what he was told and how, and why he was taken out. That he took part stays, numbered.

Called in the transaction that gives him a number for a name (``leaderboards/services/erase.py``).
"""

from datetime import datetime

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet

from competitions.models import Change, Invitation, Notice, Participant, Preference
from leaderboards.models import Player


def forget(player: Player, at: datetime) -> None:
    """He leaves what has not ended; his notices go, with their e-mails, and his wishes and invitations."""
    taking_part = Participant.objects.filter(Participant.TAKING_PART, player=player)
    taking_part.filter(competition__final_at=None, competition__cancelled_at=None).update(left_at=at)
    own = Participant.objects.filter(player=player)
    Change.objects.filter(competition__in=own.values("competition"), details__player=player.external_id).update(
        details={}, reason=""
    )
    _forget_in_log(own)
    own.update(reason="")
    Notice.objects.filter(player=player).delete()
    Preference.objects.filter(player=player).delete()
    Invitation.objects.filter(external_id=player.external_id).delete()


def _forget_in_log(participants: QuerySet[Participant]) -> None:
    """The admin's log keeps that somebody was taken out, and by whom."""
    about = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(Participant))
    about.filter(object_id__in=[str(pk) for pk in participants.values_list("pk", flat=True)]).update(change_message="")
