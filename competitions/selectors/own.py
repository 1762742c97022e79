"""Whether a person's own data would tell of results that a freeze hides yet."""

from datetime import datetime

from competitions.models import Competition
from leaderboards.models import Player


def hides_results(player: Player, at: datetime) -> bool:
    """Whether the player takes part, or took part, in a competition whose standings are hidden at ``at``."""
    theirs = Competition.objects.filter(participants__player=player, revealed_at=None).distinct()
    return any(competition.is_hidden(at) for competition in theirs.iterator())
