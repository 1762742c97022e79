"""Settle the rewards of a competition: make its grants match the latest revision, some hundred in each transaction.

So others wait for the competition's row for about a second at most. The changes are computed without a lock
(``selectors/rewards/grant_changes.py``). Each transaction then locks the competition and its run, and writes only if no
other transaction has changed a grant since and the revision is still the latest; otherwise the rest is computed again.
Grants that are written are no longer part of the difference, so an interrupted or concurrent worker grants nothing
twice.
"""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from competitions.models import Competition, Revision, RewardGrant, RewardRun
from competitions.selectors.results.revisions import latest_revision
from competitions.selectors.rewards.grant_changes import GrantChanges, grant_changes, passed_over_in
from competitions.selectors.rewards.revocation_reasons import ReasonSource, revocation_reasons
from competitions.services.locks import lock_competition
from competitions.services.rewards import grants
from foundation import clock
from foundation.chunks import in_chunks
from foundation.failpoints import failpoint

# About half a second on two busy cores.
ROWS_PER_TRANSACTION = 400
PAUSE_SECONDS = 0.05  # so that others get the row lock
BUDGET_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class SettlementPlan:
    """The computed changes and the reasons of lost grants, and the state they are valid for: the run's ``version`` and
    the number of the latest revision."""

    run: int
    version: int
    revision: int | None
    grant_changes: GrantChanges
    why: dict[int, ReasonSource]


class SettlementBatch(NamedTuple):
    """What one transaction writes; the last batch marks the run as settled."""

    rows: GrantChanges
    is_last: bool


def settle_rewards(number: int, at: datetime) -> int:
    """Make the grants of this run match the latest revision; returns how many were granted. Idempotent.

    It stops after ten seconds, and the next call continues. Raises ``CompetitionBusy`` if the competition stays locked.
    """
    until, granted = clock.monotonic() + BUDGET_SECONDS, 0
    while (plan := _make_plan(number, at)) is not None:
        for batch in _batches(plan.grant_changes):
            written = _write(plan, batch, at)
            if written is None or batch.is_last:
                granted += written or 0
                break
            granted, plan = granted + written, _with_next_version(plan)
            failpoint("settle.between_turns")
            if clock.monotonic() >= until:
                return granted
            time.sleep(PAUSE_SECONDS)
        if clock.monotonic() >= until:
            break
    return granted


def settle_in_transaction(run: RewardRun, at: datetime) -> int:
    """Settle a calendar board's new run in the caller's transaction; returns how many were granted."""
    return _write_rows(grant_changes(run, frozenset()), {}, at)


def is_result_public(competition: Competition, at: datetime) -> bool:
    """Whether its result is final (or it was cancelled) and not hidden by a freeze."""
    is_over = competition.cancelled_at is not None or competition.final_at is not None
    return is_over and not competition.is_hidden(at)


def _make_plan(number: int, at: datetime) -> SettlementPlan | None:
    """Compute the changes; None if the run is settled."""
    rows = RewardRun.objects.select_related("competition", "period__board").defer("competition__picture")
    run = rows.get(pk=number)
    if run.competition is None or not is_result_public(run.competition, at):
        return None
    last = _number(latest_revision(run.competition))
    if run.unsettled_at is None and (last or 0) <= (run.revision or 0):
        return None
    passed_over = passed_over_in(run).keys()
    changes = grant_changes(run, passed_over)
    why = revocation_reasons(run, changes.lost, last, passed_over)
    return SettlementPlan(number, run.version, last, changes, why)


def _with_next_version(plan: SettlementPlan) -> SettlementPlan:
    """Return the plan for the state after one more of its own transactions."""
    return SettlementPlan(plan.run, plan.version + 1, plan.revision, plan.grant_changes, plan.why)


def _number(revision: Revision | None) -> int | None:
    return None if revision is None else revision.number


def _batches(changes: GrantChanges) -> list[SettlementBatch]:
    """Split the changes into batches, at least one. Losses come first, so there are never more grants than earned."""
    kinds = (("lost", changes.lost), ("moved", changes.moved), ("new", changes.new))
    rows = [(kind, grant) for kind, several in kinds for grant in several]
    parts = list(in_chunks(rows, ROWS_PER_TRANSACTION)) or [[]]
    return [
        SettlementBatch(
            GrantChanges(*([grant for kind, grant in part if kind == wanted] for wanted, _ in kinds)), part is parts[-1]
        )
        for part in parts
    ]


@transaction.atomic
def _write(plan: SettlementPlan, batch: SettlementBatch, at: datetime) -> int | None:
    """Write a batch of a plan; returns how many were granted, None if the plan is outdated."""
    competition = RewardRun.objects.values_list("competition", flat=True).get(pk=plan.run)
    locked = lock_competition(Competition(pk=competition))
    run = RewardRun.objects.select_for_update(of=("self",)).get(pk=plan.run)
    last = latest_revision(locked)
    if (run.version, _number(last)) != (plan.version, plan.revision):
        return None
    written = _write_rows(batch.rows, _reasons(run, plan, batch.rows.lost), at)
    run.version, run.grants = run.version + 1, run.grants + written
    if batch.is_last:
        run.revision, run.unsettled_at = plan.revision, None
    run.save(update_fields=["version", "grants", "revision", "unsettled_at"])
    failpoint("settle.before_commit")
    return written


def _reasons(run: RewardRun, plan: SettlementPlan, lost: Sequence[RewardGrant]) -> dict[int, str]:
    """Return number of a grant → reason. Reasons of revisions are read now: an erasure may have blanked them."""
    passed_over = passed_over_in(run)
    revisions = Revision.objects.filter(competition=run.competition_id)
    revision_reasons = dict(revisions.values_list("pk", "reason")) if lost else {}
    reasons = {}
    for grant in lost:
        why = plan.why[grant.pk]
        reason = why if isinstance(why, str) else revision_reasons[why]
        reasons[grant.pk] = passed_over.get(grant.player_id, reason)
    return reasons


def _write_rows(rows: GrantChanges, reasons: Mapping[int, str], at: datetime) -> int:
    _revoke(rows.lost, reasons, at)
    RewardGrant.objects.bulk_update(rows.moved, ["rank"], batch_size=grants.CHUNK)
    for grant in rows.new:
        grant.granted_at = at
    return grants.insert_grants(rows.new, at)


def _revoke(lost: Sequence[RewardGrant], reasons: Mapping[int, str], at: datetime) -> None:
    """Revoke the grants, read again under a lock: one may have been marked as delivered since."""
    rows = RewardGrant.objects.select_for_update(of=("self",)).filter(pk__in=[grant.pk for grant in lost])
    by_reason: dict[str, list[RewardGrant]] = defaultdict(list)
    for grant in rows.select_related("period").order_by("pk"):
        by_reason[reasons[grant.pk]].append(grant)
    for reason, several in by_reason.items():
        grants.revoke_grants(several, reason, at)
