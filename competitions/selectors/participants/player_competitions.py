"""The competitions of one player, with their public place in each."""

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
    """A player's competition; ``row`` and ``total`` are None if they have no place or the standings are away."""

    competition: Competition
    phase: Phase
    row: Row | None
    total: int | None


def competitions_of(player: Player, at: datetime) -> list[CompetitionOfPlayer]:
    """Return up to ``MOST`` published competitions on public boards, latest start first."""
    taking_part = Participant.objects.filter(Participant.TAKING_PART, visible_q("competition__board"), player=player)
    public = Competition.objects.filter(board__visibility=Visibility.PUBLIC).exclude(published_at=None)
    latest = (
        public.filter(pk__in=taking_part.values("competition"))
        .select_related("board")
        .defer("picture")
        .order_by("-starts_at", "-pk")
    )
    return [_with_place(competition, player, at) for competition in latest[:MOST]]


def _with_place(competition: Competition, player: Player, at: datetime) -> CompetitionOfPlayer:
    try:
        found = player_row(competition, player.external_id, at)
    except (NotFound, Unavailable):
        return CompetitionOfPlayer(competition, competition.phase(at), None, None)
    return CompetitionOfPlayer(competition, competition.phase(at), found.row, found.total)
