"""The competitions of one player, with their place in each as the public may see it."""

from dataclasses import dataclass
from datetime import datetime

from competitions.core.lifecycle import Phase
from competitions.models import Competition, Participant
from competitions.selectors.standings.standings import player_row
from foundation.errors import NotFound, Unavailable
from leaderboards.choices import Visibility
from leaderboards.models import Player
from leaderboards.selectors import Row
from leaderboards.selectors.visibility.restrictions import visible_q

MOST = 12


@dataclass(frozen=True, slots=True)
class CompetitionOfPlayer:
    """Somebody takes part; ``row`` and ``total`` are None where they have no place, or nobody could be asked."""

    competition: Competition
    phase: Phase
    row: Row | None
    total: int | None


def competitions_of(player: Player, at: datetime) -> list[CompetitionOfPlayer]:
    """Up to ``MOST`` published competitions on public boards, the latest start first."""
    taking_part = Participant.objects.filter(Participant.TAKING_PART, visible_q("competition__board"), player=player)
    public = Competition.objects.filter(board__visibility=Visibility.PUBLIC).exclude(published_at=None)
    latest = (
        public.filter(pk__in=taking_part.values("competition"))
        .select_related("board")
        .defer("picture")
        .order_by("-starts_at", "-pk")
    )
    return [_taken(competition, player, at) for competition in latest[:MOST]]


def _taken(competition: Competition, player: Player, at: datetime) -> CompetitionOfPlayer:
    try:
        found = player_row(competition, player.external_id, at)
    except (NotFound, Unavailable):
        return CompetitionOfPlayer(competition, competition.phase(at), None, None)
    return CompetitionOfPlayer(competition, competition.phase(at), found.row, found.total)
