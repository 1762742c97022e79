"""What a competition's tiers promise, and who has won. While the result is hidden nobody has."""

from dataclasses import dataclass
from datetime import datetime

from competitions.models import Competition, RewardGrant, RewardTier


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
    found = competition.reward_grants.select_related("player").order_by("rank", "pk")
    return Grants(found.count(), list(found[offset : offset + limit]))


def grants_of(competition: Competition, player: str, at: datetime) -> list[RewardGrant]:
    """What this player has won, as the public may see it."""
    if competition.is_hidden(at):
        return []
    return list(competition.reward_grants.filter(player__external_id=player))
