"""Ending a run: when all is done, when the rest cannot be applied, or after repeated failures.

The trap: an unexpected error comes back with every try. So failures are counted, and the last one stops the run.
"""

import logging
import secrets
from datetime import datetime

from django.db import transaction

from foundation.messages import Message
from foundation.translate import to_json
from leaderboards.models import ImportKind, ImportRun
from leaderboards.models.imports import Phase

logger = logging.getLogger(__name__)

MOST_FAILURES = 3  # of one run; lost connections and lock timeouts do not count


@transaction.atomic
def end_undo(run: ImportRun, at: datetime) -> int:
    """Mark a run as undone and have pending imports evaluated again; 1, or 0 if it was marked before."""
    ended = ImportRun.objects.filter(pk=run.pk, undone_at=None).update(undone_at=at)
    if ended:
        _restart_evaluations(run)
    return ended


def _restart_evaluations(undone: ImportRun) -> None:
    """Evaluate unconfirmed imports into the board again: they were evaluated by ids that are free now."""
    if undone.kind != ImportKind.SCORES:
        return
    idle = ImportRun.objects.filter(kind=undone.kind, board=undone.board_id, started_at=None, stopped="")
    for run in idle.select_for_update(of=("self",)).order_by("pk"):
        run.chunks.update(checked_at=None, skipped=[])
        run.checks, run.checked, run.refused, run.checked_at = run.checks + 1, 0, 0, None
        run.report = {"first": run.report["first"]}
        run.save(update_fields=["checks", "checked", "refused", "checked_at", "report"])


@transaction.atomic
def end(run: ImportRun, at: datetime, why: str = "") -> int:
    """End a run and delete its rows; ``why`` tells if some were not applied. 1, or 0 if it had ended before."""
    run.chunks.exclude(content=b"").update(content=b"")
    ended = ImportRun.objects.select_for_update().get(pk=run.pk)
    if ended.done_at is not None:
        return 0
    ended.report.pop("first", None)
    ended.done_at, ended.stopped = at, why[:300]
    ended.report["stopped"] = to_json(why)
    ended.save(update_fields=["done_at", "stopped", "report"])
    return 1


def count_failure(number: int, at: datetime) -> bool:
    """Count an unexpected failure, from its ``except`` block; whether the run was stopped because of it."""
    with transaction.atomic():
        run = ImportRun.objects.select_for_update().filter(pk=number).first()
        if run is None or not run.is_moving:
            return False
        run.report["failures"] = run.report.get("failures", 0) + 1
        run.save(update_fields=["report"])
        if run.report["failures"] < MOST_FAILURES:
            return False
        reference = secrets.token_hex(4)
        _stop(
            run,
            at,
            Message(
                "An unexpected error stopped it. The log says more: %(reference)s.",
                reference=reference,
            ),
        )
    logger.exception("Import %s was stopped (%s)", number, reference)
    return True


def _stop(run: ImportRun, at: datetime, why: str) -> None:
    """Stop a run, with the reason for its page. An undo that is stopped can be started again."""
    if run.phase is Phase.APPLYING:
        end(run, at, why)
        return
    del run.report["failures"]
    if run.phase is Phase.CHECKING:
        run.chunks.exclude(content=b"").update(content=b"")
        run.checked_at = at
    else:
        run.undo_at = run.undo_by = None
        _restart_evaluations(run)
    run.stopped = why
    run.report["stopped"] = to_json(why)
    run.save(update_fields=["checked_at", "undo_at", "undo_by", "stopped", "report"])
