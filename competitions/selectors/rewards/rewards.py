"""The reward tiers of a competition and its active grants, as the public sees them: none while the result is hidden."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from competitions.models import Competition, RewardGrant, RewardTier
from leaderboards.selectors.visibility.restrictions import visible_q


@dataclass(frozen=True, slots=True)
class Grants:
    """Granted rewards by rank: the total and a page."""

    total: int
    rows: list[RewardGrant]


def tiers(competition: Competition) -> list[RewardTier]:
    """Return its reward tiers, in the order of creation."""
    return list(competition.reward_tiers.all())


def grants(competition: Competition, at: datetime, offset: int = 0, limit: int = 10) -> Grants:
    """Return a page of the public grants."""
    if competition.is_hidden(at):
        return Grants(0, [])
    rows = _public_grants(competition).select_related("player").order_by("rank", "pk")
    return Grants(rows.count(), list(rows[offset : offset + limit]))


def grants_of(competition: Competition, player: str, at: datetime) -> list[RewardGrant]:
    """Return the public grants of a player."""
    if competition.is_hidden(at):
        return []
    return list(_public_grants(competition).filter(player__external_id=player))


def _public_grants(competition: Competition) -> QuerySet[RewardGrant]:
    """Return active grants, without those of banned, restricted or disqualified players that are not revoked yet."""
    disqualified = competition.participants.exclude(disqualified_at=None).values("player")
    active = competition.reward_grants.filter(RewardGrant.ACTIVE, visible_q(competition.board_id))
    return active.exclude(player__in=disqualified)
