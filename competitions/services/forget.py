"""Forgetting who a player is: what he was told and how, and why he was taken out. That he took part stays, numbered.

Called in the transaction that gives him a number for a name (``leaderboards/services/erase.py``).
"""

from datetime import datetime

from competitions.models import Invitation, Notice, Participant, Preference
from leaderboards.models import Player


def forget(player: Player, at: datetime) -> None:
    """He leaves what has not ended; his notices go, with their e-mails, and his wishes and invitations."""
    taking_part = Participant.objects.filter(Participant.TAKING_PART, player=player)
    taking_part.filter(competition__final_at=None, competition__cancelled_at=None).update(left_at=at)
    Participant.objects.filter(player=player).update(reason="")
    Notice.objects.filter(player=player).delete()
    Preference.objects.filter(player=player).delete()
    Invitation.objects.filter(external_id=player.external_id).delete()
