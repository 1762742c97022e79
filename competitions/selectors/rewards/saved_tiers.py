"""The tiers of a final period as they were when it was first rewarded: kept in its run, and read from there.

What is made, changed or deleted later changes nothing of periods that are final.
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
    """A tier as it was; ``number`` is its row's, None if that is gone by now."""

    number: int | None
    name: str
    code: str
    rule: Tier

    @property
    def mark(self) -> tuple[int | None, str, str]:
        """What its grants are known by: two tiers of one name and code whose rows are gone share theirs."""
        return (None, self.name, self.code) if self.number is None else (self.number, "", "")

    @property
    def grants(self) -> Q:
        """Those of its mark."""
        return Q(tier=None, name=self.name, code=self.code) if self.number is None else Q(tier=self.number)


def rules_of(period: Period, competition: Competition | None) -> list[dict[str, Any]]:
    """What the run of this period keeps: the tiers of its board and of its competition as they are now."""
    return [rule_of(tier) for tier in tiers_of(period.board_id, competition)]


def rule_of(tier: RewardTier) -> dict[str, Any]:
    """A tier as JSON."""
    return {
        "number": tier.pk,
        "name": tier.name,
        "code": tier.code,
        "kind": str(tier.kind),
        "from_rank": tier.from_rank,
        "limit": str(tier.limit),
    }


def saved_tiers(run: RewardRun) -> list[SavedTier]:
    """The tiers that a run keeps, in their order."""
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


def players_withheld_from(rule: SavedTier, period: Period, given_back: Collection[int] = ()) -> list[int]:
    """The internal numbers of players from whom staff have taken a reward of this mark and period back, one a row;
    without the grants of ``given_back`` (numbers)."""
    rows = RewardGrant.objects.filter(rule.grants, period=period, withheld_at__isnull=False)
    return list(rows.exclude(pk__in=given_back).values_list("player_id", flat=True))
