"""The code of a team that a player founded; the founder passes it on, and it is needed to enter the team.

A new code replaces the old one; members stay. The trap: a team without a code is open to everybody. That is so for
teams that the organizers created, or that were founded before there were codes, until the founder makes one.
"""

from datetime import datetime

from django.db import transaction

from competitions.errors import NotFounder
from competitions.models import Competition, Participant, Team
from competitions.services.locks import lock_competition
from competitions.services.participants.codes import new_code
from competitions.services.participants.teams import lock_known_participant, refuse_over_by
from foundation.messages import Message
from leaderboards.models import Player


def founded_by(participant: Participant) -> Team | None:
    """Return the team that the participant founded and belongs to, or None. Only founders see the code."""
    team = participant.team
    return team if team is not None and team.founder_id == participant.player_id else None


def renew_code(competition: Competition, player: Player, at: datetime) -> Team:
    """Give the founder's team a new code, until the competition ends.

    Raises ``NotAParticipant``, ``CompetitionOver`` or ``NotFounder``.
    """
    with transaction.atomic():
        locked = lock_competition(competition)
        participant = lock_known_participant(locked, player)
        refuse_over_by(locked, at)
        team = founded_by(participant) if participant.takes_part else None
        if team is None:
            raise NotFounder(Message("Only who founded a team, and is in it, renews its code."))
        team.code = new_code()
        team.save(update_fields=["code"])
    return team
