"""Grant the rewards of final periods, once for each period.

A ``RewardRun`` row marks a period as processed, also without tiers. A competition's period waits until the competition
is final and public; a cancelled competition earns nothing. A competition's rewards then follow its latest revision:
grants that are no longer earned are revoked and newly earned ones are added, by the tiers saved in the run.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from competitions.models import Competition, RewardGrant, RewardRun
from competitions.models.competitions import FROZEN_SUFFIX
from competitions.selectors.rewards.saved_tiers import rules_of
from competitions.selectors.rewards.unsettled import unsettled_runs
from competitions.services.locks import lock_competition
from competitions.services.rewards.settlement import is_result_public, settle_in_transaction, settle_rewards
from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.failpoints import failpoint
from foundation.worker.each import for_each
from leaderboards.models import OVER_STATES, Period


def grant_due_rewards(at: datetime) -> int:
    """Grant the rewards of final periods, oldest first; returns how many were granted."""
    final = Period.objects.filter(state__in=OVER_STATES, reward_run=None)
    due = final.exclude(label__endswith=FROZEN_SUFFIX).select_related("board").order_by("closed_at", "pk")
    return sum(for_each(due, lambda period: grant_period(period, at)))


def settle_due_rewards(at: datetime) -> int:
    """Settle the rewards of competitions with a new revision, a staff action, or an unfinished settlement.

    Returns how many were granted.
    """
    return sum(for_each(unsettled_runs().only("pk"), lambda run: settle_rewards(run.pk, at)))


@transaction.atomic
def mark_delivered(chosen: QuerySet[RewardGrant], at: datetime) -> int:
    """Mark active grants as delivered by the game; returns how many were newly marked."""
    rows = RewardGrant.objects.filter(RewardGrant.ACTIVE, pk__in=chosen.values("pk"), delivered_at=None)
    locked = list(rows.select_for_update(of=("self",)).order_by("pk"))
    if locked:
        subjects = [pair for grant in locked for pair in subjects_of(grant)]
        record("reward.delivered", at=at, subjects=subjects, note={"number": len(locked)})
    return RewardGrant.objects.filter(pk__in=[grant.pk for grant in locked]).update(delivered_at=at)


def grant_period(period: Period, at: datetime) -> int:
    """Grant the rewards of one final period, if its result is public; returns how many were granted."""
    if not period.board.is_event:
        return _grant_calendar(period, at)
    competition = _competition_of(period)
    if competition is None or not is_result_public(competition, at):
        return 0
    run = _begin(period, competition, at)
    return 0 if run is None else settle_rewards(run.pk, at)


def _competition_of(period: Period) -> Competition | None:
    rows = Competition.objects.filter(board=period.board, pk=int(period.label.removeprefix("c")))
    return rows.defer("picture").first()


@transaction.atomic
def _grant_calendar(period: Period, at: datetime) -> int:
    """Grant all rewards of a calendar period in one transaction: nothing else waits for its rows."""
    run, is_new = RewardRun.objects.get_or_create(period=period, defaults={"granted_at": at})
    if not is_new:
        return 0  # another worker was faster
    failpoint("reward.after_run")
    run.tiers = rules_of(period, None)
    run.grants = settle_in_transaction(run, at)
    run.save(update_fields=["grants", "tiers"])
    failpoint("reward.before_commit")
    return run.grants


@transaction.atomic
def _begin(period: Period, competition: Competition, at: datetime) -> RewardRun | None:
    """Create the run with the present tiers; the grants follow after this transaction. None if another worker was
    faster, or if the competition was cancelled."""
    locked = lock_competition(competition)
    is_cancelled = locked.cancelled_at is not None
    tiers = [] if is_cancelled else rules_of(period, locked)
    values = {"granted_at": at, "competition": locked, "tiers": tiers, "unsettled_at": None if is_cancelled else at}
    run, is_new = RewardRun.objects.get_or_create(period=period, defaults=values)
    failpoint("settle.begun")
    return run if is_new and not is_cancelled else None
