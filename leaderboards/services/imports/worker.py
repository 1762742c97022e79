"""The worker's part of imports: one chunk of each run in turn, so that a long file does not delay the others.

A run is leased to one worker at a time. The lease only saves work, correctness does not depend on it: a chunk is
recorded once, in one transaction (``chunk_results``), and its scores count once because of their ids.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from foundation import clock
from foundation.audit import acting
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings
from foundation.worker.each import for_each
from leaderboards.errors import BadBoard
from leaderboards.models import WITHOUT_SUBMISSIONS, ImportChunk, ImportedPlayer, ImportKind, ImportRun
from leaderboards.models.imports import Phase
from leaderboards.services.imports import boards, players, preview_players, preview_scores, scores
from leaderboards.services.imports.chunk_results import Finish, record_applied, record_evaluated
from leaderboards.services.imports.finish import count_failure, end, end_undo

LEASE = timedelta(seconds=120)  # a chunk takes a second or two, the preview of 100,000 rows half a minute
UNCONFIRMED = timedelta(days=1)  # how long an upload may stay unconfirmed
ID_KNOWN_FOR = timedelta(hours=12)  # redis boards store ids for a day

_EVALUATING = Q(checked_at=None)
_APPLYING = Q(started_at__isnull=False, done_at=None)
_UNDOING = Q(undo_at__isnull=False, undone_at=None)


def advance_due(at: datetime, seconds: float) -> int:
    """Work on every run that has work, for about ``seconds``; how many chunks were done."""
    until, done = clock.monotonic() + seconds, 0
    while True:
        chunks = sum(for_each(runs_with_work(), lambda run: _take_turn(run, at)))
        done += chunks
        if not chunks or clock.monotonic() >= until:
            return done


def runs_with_work() -> QuerySet[ImportRun]:
    """The runs that have work to do, the oldest first."""
    return ImportRun.objects.filter(_EVALUATING | _APPLYING | _UNDOING).select_related("board").order_by("pk")


def delete_old_runs(at: datetime) -> int:
    """Delete uploads not confirmed within a day, and runs that ended ``KEEP_RECORDS_DAYS`` ago; how many.

    Deleted runs cannot be undone any more.
    """
    before = at - timedelta(days=sunwi_settings.KEEP_RECORDS_DAYS)
    idle = Q(started_at=None, created_at__lt=at - UNCONFIRMED)
    over = Q(done_at__lt=before, undo_at=None) | Q(undone_at__lt=before)
    expired = list(ImportRun.objects.filter(idle | over).values_list("pk", flat=True))
    for pk in expired:  # each may have thousands of rows
        ImportRun.objects.filter(pk=pk).delete()
    return len(expired)


def _take_turn(run: ImportRun, at: datetime) -> int:
    """Do one chunk of a run, if no other worker has the lease: 1, else 0."""
    now = clock.now()
    unleased = ImportRun.objects.filter(Q(leased_until=None) | Q(leased_until__lte=now), pk=run.pk)
    if not unleased.update(leased_until=now + LEASE):
        return 0
    try:
        return _step(ImportRun.objects.select_related("board", "by", "undo_by").get(pk=run.pk), at)
    except (ImportRun.DoesNotExist, ImportChunk.DoesNotExist):  # it was discarded meanwhile
        return 0
    except (Unavailable, *CONNECTION_ERRORS):  # tried again later
        raise
    except Exception:
        if not count_failure(run.pk, at):
            raise
        return 1
    finally:
        ImportRun.objects.filter(pk=run.pk, leased_until=now + LEASE).update(leased_until=None)


def _step(run: ImportRun, at: datetime) -> int:
    steps = {Phase.CHECKING: _evaluate, Phase.APPLYING: _apply, Phase.UNDOING: _undo}
    actor = run.by if run.undo_at is None else run.undo_by
    with acting(lambda: actor, None, **{"import": run.pk}):
        return steps[run.phase](run, at) if run.phase in steps else 0


def _evaluate(run: ImportRun, at: datetime) -> int:
    chunk = run.chunks.filter(checked_at=None).order_by("nth").first()
    if chunk is not None:
        evaluate = {ImportKind.SCORES: scores.evaluate, ImportKind.PLAYERS: players.evaluate}.get(
            ImportKind(run.kind), boards.evaluate
        )
        return int(record_evaluated(run, chunk, evaluate(run, chunk, at), at))
    if run.kind == ImportKind.SCORES:
        run.report["foreseen"] = preview_scores.preview(run, at)._asdict()
    elif run.kind == ImportKind.PLAYERS:
        run.report["changes"] = preview_players.preview(run)._asdict()
    as_read = ImportRun.objects.filter(pk=run.pk, checked_at=None, checks=run.checks)
    return as_read.update(checked_at=at, report=run.report)


def _apply(run: ImportRun, at: datetime) -> int:
    chunk = run.chunks.filter(applied_at=None).order_by("nth").first()
    if chunk is None:
        return end(run, at)
    if why := _too_late(run, at):
        return end(run, at, why)
    try:
        finish = _apply_chunk(run, chunk, at)
        failpoint("import.after_deed")
        return int(record_applied(run, chunk, finish, at))
    except BadBoard as error:  # a board was changed since the confirmation: nothing is applied
        return end(run, at, error.detail)


def _apply_chunk(run: ImportRun, chunk: ImportChunk, at: datetime) -> Finish:
    if run.kind == ImportKind.SCORES:
        return scores.apply(run, chunk, at)
    return players.apply(run, chunk, at) if run.kind == ImportKind.PLAYERS else boards.apply(run, chunk, at)


def _too_late(run: ImportRun, at: datetime) -> str:
    """Why a run may not continue: once ids are forgotten, entries of a killed worker could count twice."""
    forgets = run.board is not None and run.board.storage in WITHOUT_SUBMISSIONS
    if forgets and run.started_at is not None and at - run.started_at > ID_KNOWN_FOR:
        return Message("It was interrupted for longer than the board remembers ids: the rest was not imported.")
    return ""


def _undo(run: ImportRun, at: datetime) -> int:
    if run.kind == ImportKind.PLAYERS:
        return _undo_players(run, at)
    chunk = run.chunks.filter(undone_at=None).order_by("-nth").first()
    if chunk is None:
        return end_undo(run, at)
    undone, left = scores.undo(chunk, at)
    failpoint("import.after_voided")
    with transaction.atomic():
        locked = ImportRun.objects.select_for_update().get(pk=run.pk)
        if ImportChunk.objects.filter(pk=chunk.pk, undone_at=None).update(undone_at=at):
            _add_undone(locked, undone, left)
    return 1


@transaction.atomic
def _undo_players(run: ImportRun, at: datetime) -> int:
    locked = ImportRun.objects.select_for_update().get(pk=run.pk)
    if not ImportedPlayer.objects.filter(run=locked).exists():
        return ImportRun.objects.filter(pk=run.pk, undone_at=None).update(undone_at=at)
    _add_undone(locked, *players.undo(locked, at))
    failpoint("import.before_commit")
    return 1


def _add_undone(run: ImportRun, undone: int, left: int) -> None:
    run.undone, run.left = run.undone + undone, run.left + left
    run.save(update_fields=["undone", "left"])
