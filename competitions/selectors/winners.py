"""What a result would earn if it became final as it stands: for whoever is about to confirm it."""

from decimal import Decimal

from django.db.models import Q

from competitions.core.rewards import By, Field, Ranked, Tier
from competitions.models import Competition, RewardTier
from leaderboards.models import Period
from leaderboards.selectors.export import ranking_of
from leaderboards.selectors.hidden import hidden_in


def rewards_to_grant(competition: Competition) -> int:
    """How many rewards a closed competition's tiers and its board's would grant now; none before it is closed."""
    period = Period.objects.select_related("board").filter(board=competition.board_id, label=competition.label).first()
    if period is None or competition.closed_at is None:
        return 0
    tiers = list(RewardTier.objects.filter(Q(board=competition.board_id) | Q(competition=competition)))
    if not tiers:
        return 0
    ranked = [_ranked(period, rank, row.player_id, row.score, row.member) for rank, row in ranking_of(period)]
    field = Field(period.players - len(hidden_in(period)), period.rules.order)
    rules = (Tier(By(tier.kind), tier.limit, tier.from_rank) for tier in tiers)
    return sum(1 for rule in rules for _ in rule.earners(ranked, field))


def _ranked(period: Period, rank: int, player: int, score: float, member: str) -> Ranked:
    points, _ = period.rules.shown(period.layout.unpack(score, member).value)
    return Ranked(player, rank, None if points is None else Decimal(points))
