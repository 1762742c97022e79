"""What erasing a player comes to on boards, before it is done."""

from typing import NamedTuple

from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.models import PeriodState, Player, Standing
from leaderboards.selectors.player_data.personal_data import final_standings_of
from leaderboards.selectors.previews.rank_moves import moves_in, sum_moves

MOST_COUNTED = 50  # periods: in each all standings are read


class ErasurePreview(NamedTuple):
    """From how many open periods the player goes, in how many final ones they stay under a number, and what ranks do
    (None where the periods are too many to count all)."""

    standings: int
    finals: int
    moves: RankChanges | None


def preview_erasure(player: Player) -> ErasurePreview:
    """What it comes to now. Where Redis decides, standings are those of a second ago."""
    rows = Standing.objects.filter(player=player, score__isnull=False, period__state=PeriodState.OPEN)
    found = list(rows.select_related("period__board").order_by("pk"))
    few = len(found) <= MOST_COUNTED
    moves = sum_moves(moves_in(row.period, {player.pk: None}) for row in found) if few else None
    return ErasurePreview(len(found), final_standings_of(player).count(), moves)
