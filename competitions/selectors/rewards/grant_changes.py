"""What a period's rewards have to become: which grants are lost, which have another rank, and which are new.

Granting (``services/rewards/settlement.py``) and the admin's page before an act ask here, so that what is shown is what
is done. Nothing is locked: who writes it down looks again whether it still holds.
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
    """From the grants that stand to those that are earned: ``moved`` have their rank in the result by now, ``new`` are
    not saved yet."""

    lost: list[RewardGrant] = field(default_factory=list)
    moved: list[RewardGrant] = field(default_factory=list)
    new: list[RewardGrant] = field(default_factory=list)

    def __iadd__(self, other: "GrantChanges") -> "GrantChanges":
        """Both, one behind the other."""
        self.lost.extend(other.lost)
        self.moved.extend(other.moved)
        self.new.extend(other.new)
        return self


def tier_key_of(grant: RewardGrant) -> tuple[int | None, str, str]:
    """What the tier of a grant is known by, as ``SavedTier.mark`` has it."""
    return (None, grant.name, grant.code) if grant.tier_id is None else (grant.tier_id, "", "")


def passed_over_in(run: RewardRun) -> dict[int, str]:
    """Internal number → reason of those whom staff passed over for a period's rewards."""
    rows = RewardGrant.objects.filter(period=run.period_id, passed_over_at__isnull=False).order_by("-pk")
    return dict(rows.values_list("player_id", "revoked_reason"))


def grant_changes(run: RewardRun, passed_over: Set[int], given_back: Collection[int] = ()) -> GrantChanges:
    """What follows from the latest revision of the run's competition, or from a calendar board's ranking.

    ``passed_over`` are internal numbers of players; grants of ``given_back`` (numbers) are not withheld any more.
    """
    clear_hidden_cache()  # what this process remembers may be older than the end of the period
    last = None if run.competition is None else latest_revision(run.competition)
    return grant_changes_for(result_of(run.period, last), run, passed_over, given_back)


def grant_changes_for(
    result: RankedResult, run: RewardRun, passed_over: Set[int], given_back: Collection[int] = ()
) -> GrantChanges:
    """The same from this result, which need not be there yet."""
    alike: dict[object, list[SavedTier]] = defaultdict(list)
    for rule in saved_tiers(run):
        alike[rule.mark].append(rule)
    found = GrantChanges()
    for rules in alike.values():
        found += _of_alike(rules, run, result, (passed_over, given_back))
    return found


def preview_revoke_by_staff(run: RewardRun, players: Set[int]) -> GrantChanges:
    """What changes if these players (internal numbers) are passed over and the next in line win."""
    return grant_changes(run, players | passed_over_in(run).keys())


def preview_restore_by_staff(run: RewardRun, grants: Sequence[RewardGrant]) -> GrantChanges:
    """What changes if these rewards, which staff took back, are given back."""
    again = passed_over_together(grants)
    eligible = {grant.player_id for grant in again if grant.passed_over_at is not None}
    return grant_changes(run, passed_over_in(run).keys() - eligible, {grant.pk for grant in again})


def passed_over_together(grants: Sequence[RewardGrant]) -> list[RewardGrant]:
    """These grants of one period, and the others for which their players are passed over: one choice undoes one."""
    players = {grant.player_id for grant in grants if grant.passed_over_at is not None}
    more = RewardGrant.objects.filter(
        period__in={grant.period_id for grant in grants}, player__in=players, passed_over_at__isnull=False
    )
    others = more.exclude(pk__in=[grant.pk for grant in grants]).select_related("player", "period").order_by("pk")
    return [*grants, *others]


def _of_alike(
    rules: Sequence[SavedTier], run: RewardRun, result: RankedResult, acts: tuple[Set[int], Collection[int]]
) -> GrantChanges:
    """Of tiers whose grants cannot be told apart: of each player, as many stand as they earn of these tiers."""
    (passed_over, given_back), one, found = acts, rules[0], GrantChanges()
    ranks: dict[int, int] = {}
    missing: Counter[int] = Counter()
    for rule in rules:
        winners = earners_of(rule.rule, result, passed_over)
        ranks |= winners
        missing.update(winners.keys())
    rows = RewardGrant.objects.filter(RewardGrant.ACTIVE, one.grants, period=run.period_id)
    for grant in rows.select_related("period", "player").order_by("pk"):
        if missing[grant.player_id] <= 0:
            found.lost.append(grant)
        elif grant.rank != ranks[grant.player_id]:
            grant.rank = ranks[grant.player_id]
            found.moved.append(grant)
        missing[grant.player_id] -= 1
    missing.subtract(players_withheld_from(one, run.period, given_back))
    found.new.extend(_granted(one, run, player, ranks[player]) for player in missing.elements())
    return found


def _granted(rule: SavedTier, run: RewardRun, player: int, rank: int) -> RewardGrant:
    """A row that is not saved yet, and has no time."""
    return RewardGrant(
        tier_id=rule.number,
        period=run.period,
        competition_id=run.competition_id,
        player_id=player,
        rank=rank,
        name=rule.name,
        code=rule.code,
    )
