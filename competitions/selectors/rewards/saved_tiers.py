"""The tiers of a final period at the time of its first rewards, saved in its run.

Tiers that are added, changed or deleted later do not affect final periods.
"""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Q

from competitions.core.rewards import Tier, TierBasis
from competitions.models import Competition, RewardGrant, RewardRun, RewardTier
from competitions.selectors.rewards.earners import tiers_of
from leaderboards.models import Period


@dataclass(frozen=True, slots=True)
class SavedTier:
    """A saved tier; ``number`` is the number of its row, None if that was deleted."""

    number: int | None
    name: str
    code: str
    rule: Tier

    @property
    def mark(self) -> tuple[int | None, str, str]:
        """The key that connects grants to their tier; deleted tiers with the same name and code share it."""
        return (None, self.name, self.code) if self.number is None else (self.number, "", "")

    @property
    def grants(self) -> Q:
        """The condition for grants with this key."""
        return Q(tier=None, name=self.name, code=self.code) if self.number is None else Q(tier=self.number)


def rules_of(period: Period, competition: Competition | None) -> list[dict[str, Any]]:
    """Return the present tiers of the board and of the competition, as the run saves them."""
    return [rule_of(tier) for tier in tiers_of(period.board_id, competition)]


def rule_of(tier: RewardTier) -> dict[str, Any]:
    """Return a tier as JSON."""
    return {
        "number": tier.pk,
        "name": tier.name,
        "code": tier.code,
        "kind": str(tier.kind),
        "from_rank": tier.from_rank,
        "limit": str(tier.limit),
    }


def saved_tiers(run: RewardRun) -> list[SavedTier]:
    """Return the tiers saved in a run, in their order."""
    rows = RewardTier.objects.filter(pk__in=[each["number"] for each in run.tiers])
    existing = set(rows.values_list("pk", flat=True))
    return [
        SavedTier(
            each["number"] if each["number"] in existing else None,
            each["name"],
            each["code"],
            Tier(TierBasis(each["kind"]), Decimal(each["limit"]), each["from_rank"]),
        )
        for each in run.tiers
    ]


def players_withheld_from(tier: SavedTier, period: Period, given_back: Collection[int] = ()) -> list[int]:
    """Return the players (internal numbers) of a tier's grants that staff have revoked, one for each grant, without the
    grants ``given_back`` (numbers)."""
    rows = RewardGrant.objects.filter(tier.grants, period=period, withheld_at__isnull=False)
    return list(rows.exclude(pk__in=given_back).values_list("player_id", flat=True))
