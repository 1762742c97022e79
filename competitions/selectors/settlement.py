"""What a period's rewards have to become: which grants are lost, which have another rank, and which are new.

Granting (``services/settle.py``) and the admin's page before an act ask here, so that what is shown is what is done.
Nothing is locked: who writes it down looks again whether it still holds.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, field

from competitions.models import RewardGrant, RewardRun
from competitions.selectors.revisions import latest_revision
from competitions.selectors.reward_rules import Kept, kept_rules, withheld
from competitions.selectors.winners import Result, earned, result_of
from leaderboards.selectors.hidden import forget_hidden


@dataclass(frozen=True, slots=True)
class Difference:
    """From the grants that stand to those that are earned: ``moved`` have their rank in the result by now, ``new`` are
    not saved yet."""

    lost: list[RewardGrant] = field(default_factory=list)
    moved: list[RewardGrant] = field(default_factory=list)
    new: list[RewardGrant] = field(default_factory=list)

    def __iadd__(self, other: "Difference") -> "Difference":
        """Both, one behind the other."""
        self.lost.extend(other.lost)
        self.moved.extend(other.moved)
        self.new.extend(other.new)
        return self


def mark_of(grant: RewardGrant) -> tuple[int | None, str, str]:
    """What the tier of a grant is known by, as ``Kept.mark`` has it."""
    return (None, grant.name, grant.code) if grant.tier_id is None else (grant.tier_id, "", "")


def passed_over_in(run: RewardRun) -> dict[int, str]:
    """Internal number → reason of those whom staff passed over for a period's rewards."""
    rows = RewardGrant.objects.filter(period=run.period_id, passed_over_at__isnull=False).order_by("-pk")
    return dict(rows.values_list("player_id", "revoked_reason"))


def difference(run: RewardRun, passed_over: Set[int], given_back: Collection[int] = ()) -> Difference:
    """What follows from the latest revision of the run's competition, or from a calendar board's ranking.

    ``passed_over`` are internal numbers of players; grants of ``given_back`` (numbers) are not withheld any more.
    """
    forget_hidden()  # what this process remembers may be older than the end of the period
    last = None if run.competition is None else latest_revision(run.competition)
    return following(result_of(run.period, last), run, passed_over, given_back)


def following(result: Result, run: RewardRun, passed_over: Set[int], given_back: Collection[int] = ()) -> Difference:
    """The same from this result, which need not be there yet."""
    alike: dict[object, list[Kept]] = defaultdict(list)
    for rule in kept_rules(run):
        alike[rule.mark].append(rule)
    found = Difference()
    for rules in alike.values():
        found += _of_alike(rules, run, result, (passed_over, given_back))
    return found


def after_taking_back(run: RewardRun, players: Set[int]) -> Difference:
    """What changes if these players (internal numbers) are passed over and the next in line win."""
    return difference(run, players | passed_over_in(run).keys())


def after_giving_back(run: RewardRun, grants: Sequence[RewardGrant]) -> Difference:
    """What changes if these rewards, which staff took back, are given back."""
    again = passed_together(grants)
    eligible = {grant.player_id for grant in again if grant.passed_over_at is not None}
    return difference(run, passed_over_in(run).keys() - eligible, {grant.pk for grant in again})


def passed_together(grants: Sequence[RewardGrant]) -> list[RewardGrant]:
    """These grants of one period, and the others for which their players are passed over: one choice undoes one."""
    players = {grant.player_id for grant in grants if grant.passed_over_at is not None}
    more = RewardGrant.objects.filter(
        period__in={grant.period_id for grant in grants}, player__in=players, passed_over_at__isnull=False
    )
    others = more.exclude(pk__in=[grant.pk for grant in grants]).select_related("player", "period").order_by("pk")
    return [*grants, *others]


def _of_alike(
    rules: Sequence[Kept], run: RewardRun, result: Result, acts: tuple[Set[int], Collection[int]]
) -> Difference:
    """Of tiers whose grants cannot be told apart: of each player, as many stand as they earn of these tiers."""
    (passed_over, given_back), one, found = acts, rules[0], Difference()
    ranks: dict[int, int] = {}
    missing: Counter[int] = Counter()
    for rule in rules:
        winners = earned(rule.rule, result, passed_over)
        ranks |= winners
        missing.update(winners.keys())
    rows = RewardGrant.objects.filter(RewardGrant.STANDING, one.grants, period=run.period_id)
    for grant in rows.select_related("period", "player").order_by("pk"):
        if missing[grant.player_id] <= 0:
            found.lost.append(grant)
        elif grant.rank != ranks[grant.player_id]:
            grant.rank = ranks[grant.player_id]
            found.moved.append(grant)
        missing[grant.player_id] -= 1
    missing.subtract(withheld(one, run.period, given_back))
    found.new.extend(_granted(one, run, player, ranks[player]) for player in missing.elements())
    return found


def _granted(rule: Kept, run: RewardRun, player: int, rank: int) -> RewardGrant:
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
