"""What a competition's tiers promise, and who has won: grants that stand. While the result is hidden nobody has."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from competitions.models import Competition, RewardGrant, RewardTier
from leaderboards.selectors.visibility.restrictions import visible_q


@dataclass(frozen=True, slots=True)
class Grants:
    """Rewards by rank: how many, and a page of them."""

    total: int
    rows: list[RewardGrant]


def tiers(competition: Competition) -> list[RewardTier]:
    """Its rewards, in the order in which they were made."""
    return list(competition.reward_tiers.all())


def grants(competition: Competition, at: datetime, offset: int = 0, limit: int = 10) -> Grants:
    """What was granted, as the public may see it."""
    if competition.is_hidden(at):
        return Grants(0, [])
    found = _shown(competition).select_related("player").order_by("rank", "pk")
    return Grants(found.count(), list(found[offset : offset + limit]))


def grants_of(competition: Competition, player: str, at: datetime) -> list[RewardGrant]:
    """What this player has won, as the public may see it."""
    if competition.is_hidden(at):
        return []
    return list(_shown(competition).filter(player__external_id=player))


def _shown(competition: Competition) -> QuerySet[RewardGrant]:
    """What stands; nothing of the banned, the restricted and the disqualified, also before the grants follow."""
    out = competition.participants.exclude(disqualified_at=None).values("player")
    standing = competition.reward_grants.filter(RewardGrant.ACTIVE, visible_q(competition.board_id))
    return standing.exclude(player__in=out)
