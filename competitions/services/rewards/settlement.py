"""Settling the rewards of a competition, some hundred in each transaction, so that those who wait for its row wait for
about a second at most.

What has to change is computed without a lock (``selectors/rewards/grant_changes.py``). Each transaction then holds the
competition and its run, and writes only if no other transaction has changed a grant since and the revision is still
the latest; otherwise the rest is computed anew. A grant that stands is the row that proves it, so a worker that is
killed in between, or meets another worker, grants nothing twice: what is written already is no difference any more.
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

# About half a second on two busy cores, as a thousand grants with their messages took one.
ROWS_PER_TRANSACTION = 400
PAUSE_SECONDS = 0.05  # so that those who wait for the row get it
BUDGET_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class SettlementPlan:
    """What was computed, why each grant is lost, and of which state of the run: ``version``, and the number of the
    latest
    revision."""

    run: int
    version: int
    revision: int | None
    grant_changes: GrantChanges
    why: dict[int, ReasonSource]


class SettlementBatch(NamedTuple):
    """What one transaction writes; the last says that the run is settled."""

    rows: GrantChanges
    is_last: bool


def settle_rewards(number: int, at: datetime) -> int:
    """Let the rewards of this run be what the latest revision earns; returns how many were granted. Again changes
    nothing. After ten seconds it stops, and the next call goes on there.

    Raises ``CompetitionBusy`` where somebody else holds the competition for too long.
    """
    until, granted = clock.monotonic() + BUDGET_SECONDS, 0
    while (plan := _planned(number, at)) is not None:
        for turn in _turns(plan.grant_changes):
            written = _write(plan, turn, at)
            if written is None or turn.is_last:
                granted += written or 0
                break
            granted, plan = granted + written, _next(plan)
            failpoint("settle.between_turns")
            if clock.monotonic() >= until:
                return granted
            time.sleep(PAUSE_SECONDS)
        if clock.monotonic() >= until:
            break
    return granted


def settle_in_transaction(run: RewardRun, at: datetime) -> int:
    """Settle a calendar board's new run in the caller's transaction; returns how many were granted. Nobody waits for
    its rows."""
    return _write_rows(grant_changes(run, frozenset()), {}, at)


def is_result_public(competition: Competition, at: datetime) -> bool:
    """Whether everybody may know what it came to."""
    over = competition.cancelled_at is not None or competition.final_at is not None
    return over and not competition.is_hidden(at)


def _planned(number: int, at: datetime) -> SettlementPlan | None:
    """What is to be done; None where there is nothing."""
    rows = RewardRun.objects.select_related("competition", "period__board").defer("competition__picture")
    run = rows.get(pk=number)
    if run.competition is None or not is_result_public(run.competition, at):
        return None
    last = _number(latest_revision(run.competition))
    if run.unsettled_at is None and (last or 0) <= (run.revision or 0):
        return None
    passed_over = passed_over_in(run).keys()
    found = grant_changes(run, passed_over)
    return SettlementPlan(number, run.version, last, found, revocation_reasons(run, found.lost, last, passed_over))


def _next(plan: SettlementPlan) -> SettlementPlan:
    """The same, of the state that one more transaction has left."""
    return SettlementPlan(plan.run, plan.version + 1, plan.revision, plan.grant_changes, plan.why)


def _number(revision: Revision | None) -> int | None:
    return None if revision is None else revision.number


def _turns(whole: GrantChanges) -> list[SettlementBatch]:
    """What is lost first: at no time does more stand than is earned. One at least."""
    kinds = (("lost", whole.lost), ("moved", whole.moved), ("new", whole.new))
    rows = [(kind, grant) for kind, several in kinds for grant in several]
    parts = list(in_chunks(rows, ROWS_PER_TRANSACTION)) or [[]]
    return [
        SettlementBatch(
            GrantChanges(*([grant for kind, grant in part if kind == wanted] for wanted, _ in kinds)), part is parts[-1]
        )
        for part in parts
    ]


@transaction.atomic
def _write(plan: SettlementPlan, turn: SettlementBatch, at: datetime) -> int | None:
    """Write a part of a plan; returns how many were granted, None where it does not hold any more."""
    of = RewardRun.objects.values_list("competition", flat=True).get(pk=plan.run)
    locked = lock_competition(Competition(pk=of))
    run = RewardRun.objects.select_for_update(of=("self",)).get(pk=plan.run)
    last = latest_revision(locked)
    if (run.version, _number(last)) != (plan.version, plan.revision):
        return None
    written = _write_rows(turn.rows, _reasons(run, plan, turn.rows.lost), at)
    run.version, run.grants = run.version + 1, run.grants + written
    if turn.is_last:
        run.revision, run.unsettled_at = plan.revision, None
    run.save(update_fields=["version", "grants", "revision", "unsettled_at"])
    failpoint("settle.before_commit")
    return written


def _reasons(run: RewardRun, plan: SettlementPlan, lost: Sequence[RewardGrant]) -> dict[int, str]:
    """Number of a grant → why it is lost: as it is now, since an erasure may have taken words away."""
    passed_over = passed_over_in(run)
    said = dict(Revision.objects.filter(competition=run.competition_id).values_list("pk", "reason")) if lost else {}
    found = {}
    for grant in lost:
        why = plan.why[grant.pk]
        common = why if isinstance(why, str) else said[why]
        found[grant.pk] = passed_over.get(grant.player_id, common)
    return found


def _write_rows(rows: GrantChanges, reasons: Mapping[int, str], at: datetime) -> int:
    _revoke(rows.lost, reasons, at)
    RewardGrant.objects.bulk_update(rows.moved, ["rank"], batch_size=grants.CHUNK)
    for grant in rows.new:
        grant.granted_at = at
    return grants.insert_grants(rows.new, at)


def _revoke(lost: Sequence[RewardGrant], reasons: Mapping[int, str], at: datetime) -> None:
    """As the rows are now: one may have been marked as delivered since."""
    rows = RewardGrant.objects.select_for_update(of=("self",)).filter(pk__in=[grant.pk for grant in lost])
    by_reason: dict[str, list[RewardGrant]] = defaultdict(list)
    for grant in rows.select_related("period").order_by("pk"):
        by_reason[reasons[grant.pk]].append(grant)
    for reason, several in by_reason.items():
        grants.revoke_grants(several, reason, at)
