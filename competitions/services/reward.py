"""Rewards: each final period is looked at once, and whoever earns a tier then is granted it.

The period's run is the row that proves it was looked at, tiers or none. An event board's period waits until its
competition is final and shown, and a cancelled one earns nothing. The rewards of a competition follow its latest
revision: after each new one who earns no more is revoked, and who newly earns is granted, by the tiers of the run.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from competitions.models import Competition, Revision, RewardGrant, RewardRun
from competitions.models.competitions import FROZEN_SUFFIX
from competitions.selectors.revisions import latest_revision
from competitions.selectors.winners import earned
from competitions.services import grants
from competitions.services.locked import locked
from competitions.services.reward_rules import Kept, kept_rules, rules_of, withheld
from foundation.each import for_each
from foundation.failpoints import failpoint
from leaderboards.models import Period, State
from leaderboards.selectors.hidden import forget_hidden


def grant_due(at: datetime) -> int:
    """Grant what final periods earn, oldest first; returns how many rewards that were."""
    final = Period.objects.filter(state__in=(State.FINAL, State.EXPIRED), reward_run=None)
    due = final.exclude(label__endswith=FROZEN_SUFFIX).select_related("board").order_by("closed_at", "pk")
    return sum(for_each(due, lambda period: grant_of(period, at)))


def follow_due(at: datetime) -> int:
    """Let the rewards of every revised competition follow its latest revision; returns how many were granted."""
    newer = Revision.objects.filter(competition=OuterRef("competition"), number__gt=Coalesce(OuterRef("revision"), 0))
    due = RewardRun.objects.filter(Exists(newer), competition__isnull=False).order_by("pk")
    return sum(for_each(due.only("pk"), lambda run: follow(run.pk, at)))


def mark_delivered(chosen: QuerySet[RewardGrant], at: datetime) -> int:
    """The game has handed out those that stand; returns how many were not marked before."""
    return chosen.filter(RewardGrant.STANDING, delivered_at=None).update(delivered_at=at)


def grant_of(period: Period, at: datetime) -> int:
    """Grant what one final period earns, if everybody may know its result; returns how many rewards that were."""
    competition = _competition_of(period)
    if period.board.is_event and (competition is None or not _is_settled(competition, at)):
        return 0
    return _grant(period, competition, at)


def _competition_of(period: Period) -> Competition | None:
    if not period.board.is_event:
        return None
    rows = Competition.objects.filter(board=period.board, pk=int(period.label.removeprefix("c")))
    return rows.defer("picture").first()


def _is_settled(competition: Competition, at: datetime) -> bool:
    """Whether everybody may know what it came to."""
    over = competition.cancelled_at is not None or competition.final_at is not None
    return over and not competition.is_hidden(at)


@transaction.atomic
def _grant(period: Period, competition: Competition | None, at: datetime) -> int:
    held = None if competition is None else locked(competition)  # nobody is disqualified meanwhile
    run, made = RewardRun.objects.get_or_create(period=period, defaults={"granted_at": at, "competition": held})
    if not made:
        return 0  # another run was here
    failpoint("reward.after_run")
    if held is None or held.cancelled_at is None:
        latest = _latest(held)
        run.tiers, run.revision = rules_of(period, held), None if latest is None else latest.number
        run.grants = _settle(run, at, "")
    run.save(update_fields=["grants", "tiers", "revision"])
    failpoint("reward.before_commit")
    return run.grants


@transaction.atomic
def follow(number: int, at: datetime) -> int:
    """Let the rewards of this run follow the latest revision of its competition, if they do not; returns how many
    were granted. Again changes nothing."""
    competition = RewardRun.objects.select_related("competition").get(pk=number).competition
    if competition is None:
        return 0
    held = locked(competition)
    run = RewardRun.objects.select_for_update(of=("self",)).select_related("period__board").get(pk=number)
    latest = latest_revision(held)
    if latest is None or latest.number <= (run.revision or 0) or not _is_settled(held, at):
        return 0
    run.competition = held
    granted = _settle(run, at, latest.reason)
    run.revision, run.grants = latest.number, run.grants + granted
    run.save(update_fields=["revision", "grants"])
    failpoint("follow.before_commit")
    return granted


def settle_again(run: RewardRun, at: datetime) -> int:
    """Compute a locked run's rewards anew, in the caller's transaction; returns how many were granted."""
    granted = _settle(run, at, "")
    run.grants += granted
    run.save(update_fields=["grants"])
    return granted


def _latest(competition: Competition | None) -> Revision | None:
    """The competition's latest revision; None without one, and on calendar boards."""
    return None if competition is None else latest_revision(competition)


def _settle(run: RewardRun, at: datetime, reason: str) -> int:
    """Revoke what is not earned any more, and grant what is newly earned, by the ranking that is published."""
    forget_hidden()  # what this process remembers may be older than the end of the period
    alike, last = defaultdict(list), _latest(run.competition)
    for rule in kept_rules(run):
        alike[rule.mark].append(rule)
    return sum(_settle_alike(rules, run, last, (at, reason)) for rules in alike.values())


def _settle_alike(rules: Sequence[Kept], run: RewardRun, last: Revision | None, why: tuple[datetime, str]) -> int:
    """Settle tiers whose grants cannot be told apart: of each player, as many stand as they earn of these tiers."""
    (at, reason), period, one = why, run.period, rules[0]
    ranks: dict[int, int] = {}
    missing: Counter[int] = Counter()
    for rule in rules:
        found = earned(rule.rule, period, last)
        ranks |= found
        missing.update(found.keys())
    kept: list[RewardGrant] = []
    lost: list[RewardGrant] = []
    rows = RewardGrant.objects.select_for_update(of=("self",)).filter(RewardGrant.STANDING, one.grants, period=period)
    for grant in rows.select_related("period").order_by("pk"):
        (kept if missing[grant.player_id] > 0 else lost).append(grant)
        missing[grant.player_id] -= 1
    grants.revoke(lost, reason, at)
    _move(kept, ranks)
    missing.subtract(withheld(one, period))
    new = (
        RewardGrant(
            tier_id=one.number,
            period=period,
            competition_id=run.competition_id,
            player_id=player,
            rank=ranks[player],
            name=one.name,
            code=one.code,
            granted_at=at,
        )
        for player in missing.elements()
    )
    return grants.write(new, at)


def _move(kept: list[RewardGrant], earned: dict[int, int]) -> None:
    """Who still earns keeps the row, with the rank as it is now."""
    moved = [grant for grant in kept if grant.rank != earned[grant.player_id]]
    for grant in moved:
        grant.rank = earned[grant.player_id]
    RewardGrant.objects.bulk_update(moved, ["rank"], batch_size=grants.CHUNK)
