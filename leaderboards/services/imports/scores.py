"""Importing scores: evaluated and applied through the submit path of the API, undone by voiding its submissions.

Rows count as of the time of confirmation, so a worker that continues for a killed one sends the same entries, and ids
keep them from counting twice. The trap: an id of the file may have been used before, by another import; only
submissions whose ``created_at`` is the run's ``started_at`` belong to the run.
"""

from collections import Counter
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import F

from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.submissions import Outcome, Status
from leaderboards.errors import BoardReserved, OutcomeUnknown, PeriodClosed, StorageUnavailable, UnknownPlayer
from leaderboards.models import WITHOUT_SUBMISSIONS, ImportChunk, ImportKind, ImportRun, PurgedSubmission, Submission
from leaderboards.services.imports.chunk_results import ChunkResult, Error, Finish, lines_of
from leaderboards.services.imports.score_rows import SERVICE, Columns, ScoreImport, entry_of, import_batch
from leaderboards.services.moderation.void import void_submission

AWAY = frozenset({StorageUnavailable.code, OutcomeUnknown.code})


def job_of(run: ImportRun) -> ScoreImport:
    """The board and the columns of a run; ids by row begin with the run's number."""
    if run.board is None:
        raise ValueError("scores are of a board")
    columns = {name: value for name, value in run.columns.items() if name != "header"}
    return ScoreImport(run.board, Columns(**columns), f"import-{run.pk}")


def evaluate(run: ImportRun, chunk: ImportChunk, at: datetime) -> Finish:
    """Evaluate the rows, each as if it were alone. Raises ``StorageUnavailable``."""
    outcomes = import_batch(lines_of(run, chunk), job_of(run), at, dry_run=True)
    _refuse_unavailable(outcomes)
    skipped = tuple(each.position for each in outcomes if each.status in (Status.REJECTED, Status.DUPLICATE))
    return partial(_result, outcomes, skipped=skipped)


def apply(run: ImportRun, chunk: ImportChunk, _at: datetime) -> Finish:
    """Submit the rows; ids identify those that a killed worker has submitted. Raises ``StorageUnavailable``."""
    if run.started_at is None:
        raise ValueError("the run was not confirmed")
    lines, job = lines_of(run, chunk), job_of(run)
    outcomes = import_batch(lines, job, run.started_at)
    _refuse_unavailable(outcomes)
    if job.board.storage in WITHOUT_SUBMISSIONS:
        return partial(_result, outcomes)
    own = _not_in_earlier_chunks(run, chunk, _own(run.started_at, lines, job, outcomes))
    # A duplicate of the run's own submission was sent by a worker that was killed before it recorded the chunk.
    recorded = [
        each._replace(status=Status.UPDATED) if number in own and each.status == Status.DUPLICATE else each
        for number, each in {each.position: each for each in outcomes}.items()
    ]
    return partial(_result, recorded, kept=tuple(sorted(own.values())))


def undo(chunk: ImportChunk, at: datetime) -> tuple[int, int]:
    """Void the submissions of a chunk: how many are void now, and how many stay.

    Submissions in closed periods, of erased players, or deleted by retention stay as they are. A submission that a
    purge has voided is void because of this undo from now on, so undoing the purge does not restore it. Ids become free
    again, so that the file can be imported again; a submission that is restored by hand gets its id back.
    """
    voided = 0
    for submission in Submission.objects.filter(pk__in=chunk.kept, service=SERVICE).order_by("pk"):
        try:
            _void_and_free_id(submission, at)
        except (PeriodClosed, UnknownPlayer, BoardReserved):
            continue
        voided += 1
    return voided, len(chunk.kept) - voided


def was_undone(submission: Submission) -> bool:
    """Whether the submission was made by an import that was undone, or is being undone."""
    runs = ImportRun.objects.filter(kind=ImportKind.SCORES, board=submission.board_id, undo_at__isnull=False)
    return submission.service == SERVICE and runs.filter(started_at=submission.created_at).exists()


@transaction.atomic
def _void_and_free_id(submission: Submission, at: datetime) -> None:
    void_submission(submission, at)
    PurgedSubmission.objects.filter(submission=submission.pk).delete()
    own = Submission.objects.filter(pk=submission.pk, external_id__isnull=False)  # a chunk may be undone twice
    own.update(external_id=None, freed_id=F("external_id"))


def _own(started_at: datetime, lines: list[CsvRow], job: ScoreImport, outcomes: list[Outcome]) -> dict[int, int]:
    """The submissions that the run started at this time made, by the number of the first row with their id."""
    accepted = {each.position for each in outcomes if each.status.is_accepted}
    ids = {str(entry_of(line, job).external_id): line.number for line in reversed(lines) if line.number in accepted}
    found = Submission.objects.filter(
        service=SERVICE, board=job.board, competition=0, external_id__in=ids, created_at=started_at
    )
    return {ids[str(external_id)]: pk for pk, external_id in found.values_list("pk", "external_id")}


def _not_in_earlier_chunks(run: ImportRun, chunk: ImportChunk, own: dict[int, int]) -> dict[int, int]:
    """The submissions that no earlier chunk has made: an id may be in several chunks of a file."""
    if run.columns.get("id_by_row"):
        return own
    before = run.chunks.filter(nth__lt=chunk.nth).values_list("kept", flat=True)
    made = {pk for kept in before for pk in kept}
    return {number: pk for number, pk in own.items() if pk not in made}


def _result(outcomes: list[Outcome], skipped: tuple[int, ...] = (), kept: tuple[int, ...] = ()) -> ChunkResult:
    errors = (each for each in outcomes if each.status == Status.REJECTED)
    return ChunkResult(
        statuses=Counter(each.status.value for each in outcomes),
        errors=tuple(Error(each.position, str(each.code), each.detail or "") for each in errors),
        skipped=skipped,
        kept=kept,
    )


def _refuse_unavailable(outcomes: list[Outcome]) -> None:
    """Raise ``StorageUnavailable`` if a row was not decided: the whole chunk is tried again."""
    for each in outcomes:
        if each.status == Status.UNKNOWN or each.code in AWAY:
            raise StorageUnavailable(each.detail or "")
