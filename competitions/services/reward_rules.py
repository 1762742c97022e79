"""The tiers of a final period as they were when it was first rewarded: kept in its run, and read from there.

What is made, changed or deleted later changes nothing of periods that are final.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Q

from competitions.core.rewards import By, Tier
from competitions.models import Competition, RewardGrant, RewardRun, RewardTier
from leaderboards.models import Period


@dataclass(frozen=True, slots=True)
class Kept:
    """A tier as it was; ``number`` is its row's, which may be gone by now."""

    number: int
    name: str
    code: str
    rule: Tier

    @property
    def grants(self) -> Q:
        """Its grants: those whose row is gone by name and code."""
        return Q(tier=self.number) | Q(tier=None, name=self.name, code=self.code)


def rules_of(period: Period, competition: Competition | None) -> list[dict[str, Any]]:
    """What the run of this period keeps: the tiers of its board and of its competition as they are now."""
    of_board = Q(board=period.board)
    tiers = RewardTier.objects.filter(of_board if competition is None else of_board | Q(competition=competition))
    return [rule_of(tier) for tier in tiers]


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


def kept_rules(run: RewardRun) -> list[Kept]:
    """The tiers that a run keeps, in their order."""
    return [
        Kept(
            each["number"],
            each["name"],
            each["code"],
            Tier(By(each["kind"]), Decimal(each["limit"]), each["from_rank"]),
        )
        for each in run.tiers
    ]


def existing(rules: list[Kept]) -> set[int]:
    """The numbers of those whose row still exists, which new grants may name."""
    return set(RewardTier.objects.filter(pk__in=[rule.number for rule in rules]).values_list("pk", flat=True))


def withheld(rule: Kept, period: Period) -> set[int]:
    """The internal numbers of players from whom staff have taken this tier's reward of the period back."""
    rows = RewardGrant.objects.filter(rule.grants, period=period, withheld_at__isnull=False)
    return set(rows.values_list("player_id", flat=True))
