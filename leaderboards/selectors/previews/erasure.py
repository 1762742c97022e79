"""Preview how erasing a player changes the boards."""

from typing import NamedTuple

from django.db.models import Q

from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.models import PeriodState, Player, Standing, Storage
from leaderboards.selectors.player_data.personal_data import final_standings_of
from leaderboards.selectors.previews.rank_moves import moves_in, sum_moves

MOST_COUNTED = 50  # periods: all standings of each are read


class ErasurePreview(NamedTuple):
    """The number of open periods that lose the player, of final ones where they stay under a number, and the rank
    changes (None with more than ``MOST_COUNTED`` open periods, or with one in DynamoDB)."""

    standings: int
    finals: int
    moves: RankChanges | None


def preview_erasure(player: Player) -> ErasurePreview:
    """Preview the erasure now. While Redis decides, SQL's standings may be seconds old."""
    is_ranked = Q(score__isnull=False) | Q(period__board__storage=Storage.DYNAMODB)
    rows = Standing.objects.filter(is_ranked, player=player, period__state=PeriodState.OPEN)
    found = list(rows.select_related("period__board").order_by("pk"))
    few = len(found) <= MOST_COUNTED and all(row.score is not None for row in found)
    moves = sum_moves(moves_in(row.period, {player.pk: None}) for row in found) if few else None
    return ErasurePreview(len(found), final_standings_of(player).count(), moves)
