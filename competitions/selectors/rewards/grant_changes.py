"""Compute how the grants of a period have to change: which are lost, which have another rank, which are new.

The settlement (``services/rewards/settlement.py``) and the admin's previews both use this, so a preview shows what will
be done. Nothing is locked: the settlement checks that its input is still current before it writes.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, field

from competitions.models import RewardGrant, RewardRun
from competitions.selectors.results.revisions import latest_revision
from competitions.selectors.rewards.earners import RankedResult, earners_of, result_of
from competitions.selectors.rewards.saved_tiers import SavedTier, players_withheld_from, saved_tiers
from leaderboards.selectors.visibility.hidden import clear_hidden_cache


@dataclass(frozen=True, slots=True)
class GrantChanges:
    """The difference from active grants to earned ones: ``moved`` have the new rank set, ``new`` are not saved yet."""

    lost: list[RewardGrant] = field(default_factory=list)
    moved: list[RewardGrant] = field(default_factory=list)
    new: list[RewardGrant] = field(default_factory=list)

    def __iadd__(self, other: "GrantChanges") -> "GrantChanges":
        """Append the changes of ``other``."""
        self.lost.extend(other.lost)
        self.moved.extend(other.moved)
        self.new.extend(other.new)
        return self


def tier_key_of(grant: RewardGrant) -> tuple[int | None, str, str]:
    """Return the key of a grant's tier, as ``SavedTier.mark``."""
    return (None, grant.name, grant.code) if grant.tier_id is None else (grant.tier_id, "", "")


def passed_over_in(run: RewardRun) -> dict[int, str]:
    """Return internal number → reason, for the players whom staff passed over in a period."""
    rows = RewardGrant.objects.filter(period=run.period_id, passed_over_at__isnull=False).order_by("-pk")
    return dict(rows.values_list("player_id", "revoked_reason"))


def grant_changes(run: RewardRun, passed_over: Set[int], given_back: Collection[int] = ()) -> GrantChanges:
    """Compute the changes by the latest revision of the run's competition, or by a calendar board's ranking.

    ``passed_over`` are internal numbers of players; the grants ``given_back`` (numbers) count as not withheld.
    """
    clear_hidden_cache()  # the cache may be older than the end of the period
    last = None if run.competition is None else latest_revision(run.competition)
    return grant_changes_for(result_of(run.period, last), run, passed_over, given_back)


def grant_changes_for(
    result: RankedResult, run: RewardRun, passed_over: Set[int], given_back: Collection[int] = ()
) -> GrantChanges:
    """Compute the changes by this result, which may be hypothetical."""
    tiers_by_key: dict[object, list[SavedTier]] = defaultdict(list)
    for tier in saved_tiers(run):
        tiers_by_key[tier.mark].append(tier)
    changes = GrantChanges()
    for tiers in tiers_by_key.values():
        changes += _changes_of_key(tiers, run, result, (passed_over, given_back))
    return changes


def preview_revoke_by_staff(run: RewardRun, players: Set[int]) -> GrantChanges:
    """Compute the changes if these players (internal numbers) are passed over."""
    return grant_changes(run, players | passed_over_in(run).keys())


def preview_restore_by_staff(run: RewardRun, grants: Sequence[RewardGrant]) -> GrantChanges:
    """Compute the changes if these rewards, which staff revoked, are restored."""
    restored = passed_over_together(grants)
    eligible = {grant.player_id for grant in restored if grant.passed_over_at is not None}
    return grant_changes(run, passed_over_in(run).keys() - eligible, {grant.pk for grant in restored})


def passed_over_together(grants: Sequence[RewardGrant]) -> list[RewardGrant]:
    """Return these grants of one period and the others that passed their players over: they are restored together."""
    players = {grant.player_id for grant in grants if grant.passed_over_at is not None}
    more = RewardGrant.objects.filter(
        period__in={grant.period_id for grant in grants}, player__in=players, passed_over_at__isnull=False
    )
    others = more.exclude(pk__in=[grant.pk for grant in grants]).select_related("player", "period").order_by("pk")
    return [*grants, *others]


def _changes_of_key(
    tiers: Sequence[SavedTier], run: RewardRun, result: RankedResult, revocations: tuple[Set[int], Collection[int]]
) -> GrantChanges:
    """Compute the changes of tiers with one key: a player has as many active grants as they earn of these tiers."""
    (passed_over, given_back), one, changes = revocations, tiers[0], GrantChanges()
    ranks: dict[int, int] = {}
    missing: Counter[int] = Counter()
    for tier in tiers:
        winners = earners_of(tier.rule, result, passed_over)
        ranks |= winners
        missing.update(winners.keys())
    rows = RewardGrant.objects.filter(RewardGrant.ACTIVE, one.grants, period=run.period_id)
    for grant in rows.select_related("period", "player").order_by("pk"):
        if missing[grant.player_id] <= 0:
            changes.lost.append(grant)
        elif grant.rank != ranks[grant.player_id]:
            grant.rank = ranks[grant.player_id]
            changes.moved.append(grant)
        missing[grant.player_id] -= 1
    missing.subtract(players_withheld_from(one, run.period, given_back))
    changes.new.extend(_new_grant(one, run, player, ranks[player]) for player in missing.elements())
    return changes


def _new_grant(tier: SavedTier, run: RewardRun, player: int, rank: int) -> RewardGrant:
    """Return an unsaved grant without a time."""
    return RewardGrant(
        tier_id=tier.number,
        period=run.period,
        competition_id=run.competition_id,
        player_id=player,
        rank=rank,
        name=tier.name,
        code=tier.code,
    )
