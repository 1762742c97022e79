"""Scores of an import: judged and applied by the door that the API uses, undone by voiding what it made.

Its rows count as of the moment at which it was confirmed, so a worker that goes on for one that was killed sends what
that one sent; ids make sure of the rest. The trap: an id of the file may have been used before, by another import;
only submissions that were created at this run's moment are its own.
"""

from collections import Counter
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import F

from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.submissions import Outcome, Status
from leaderboards.errors import BoardReserved, OutcomeUnknown, PeriodClosed, StorageUnavailable, UnknownPlayer
from leaderboards.models import ImportChunk, ImportKind, ImportRun, PurgedSubmission, Storage, Submission
from leaderboards.services.imports.chunk_results import ChunkResult, Error, Finish, lines_of
from leaderboards.services.imports.score_rows import SERVICE, Columns, ScoreImport, entry_of, import_batch
from leaderboards.services.moderation.void import void_submission

AWAY = frozenset({StorageUnavailable.code, OutcomeUnknown.code})


def job_of(run: ImportRun) -> ScoreImport:
    """Which board, which columns; ids by row are the run's own."""
    if run.board is None:
        raise ValueError("scores are of a board")
    columns = {name: value for name, value in run.columns.items() if name != "header"}
    return ScoreImport(run.board, Columns(**columns), f"import-{run.pk}")


def evaluate(run: ImportRun, chunk: ImportChunk, at: datetime) -> Finish:
    """What would become of the rows now, each as if it were alone. Raises ``StorageUnavailable``."""
    outcomes = import_batch(lines_of(run, chunk), job_of(run), at, dry_run=True)
    _refuse_unsure(outcomes)
    skipped = tuple(each.position for each in outcomes if each.status in (Status.REJECTED, Status.DUPLICATE))
    return partial(_came, outcomes, skipped=skipped)


def apply(run: ImportRun, chunk: ImportChunk, _at: datetime) -> Finish:
    """Submit the rows; those that were submitted before are known by their ids. Raises ``StorageUnavailable``."""
    if run.started_at is None:
        raise ValueError("the run was not confirmed")
    lines, job = lines_of(run, chunk), job_of(run)
    outcomes = import_batch(lines, job, run.started_at)
    _refuse_unsure(outcomes)
    if job.board.storage == Storage.REDIS:
        return partial(_came, outcomes)
    own = _first_told(run, chunk, _own(run.started_at, lines, job, outcomes))
    seen = {each.position: each for each in outcomes}
    mended = [
        each._replace(status=Status.UPDATED) if number in own and each.status == Status.DUPLICATE else each
        for number, each in seen.items()
    ]  # a duplicate of what a worker sent that was killed before it could tell
    return partial(_came, mended, kept=tuple(sorted(own.values())))


def undo(chunk: ImportChunk, at: datetime) -> tuple[int, int]:
    """Void the submissions that were made of a chunk: how many are void now, and how many stay.

    Those of a closed period, of who was erased, and those that retention took, stay as they are. What a purge has void
    is void because of this from then on: undoing the purge must not bring it back. Their ids are free again, so that
    the same file, or a better one, can be imported; one that is restored by hand takes its own again.
    """
    voided = 0
    for submission in Submission.objects.filter(pk__in=chunk.kept, service=SERVICE).order_by("pk"):
        try:
            _take_back(submission, at)
        except (PeriodClosed, UnknownPlayer, BoardReserved):
            continue
        voided += 1
    return voided, len(chunk.kept) - voided


def was_undone(submission: Submission) -> bool:
    """Whether an import made it that was undone since, or is being undone."""
    runs = ImportRun.objects.filter(kind=ImportKind.SCORES, board=submission.board_id, undo_at__isnull=False)
    return submission.service == SERVICE and runs.filter(started_at=submission.created_at).exists()


@transaction.atomic
def _take_back(submission: Submission, at: datetime) -> None:
    void_submission(submission, at)
    PurgedSubmission.objects.filter(submission=submission.pk).delete()
    own = Submission.objects.filter(pk=submission.pk, external_id__isnull=False)  # a chunk may be undone twice
    own.update(external_id=None, freed_id=F("external_id"))


def _own(started_at: datetime, lines: list[CsvRow], job: ScoreImport, outcomes: list[Outcome]) -> dict[int, int]:
    """The submissions that the run of this moment made of the rows, by the number of the first row with their id."""
    taken = {each.position for each in outcomes if each.status.is_accepted}
    ids = {str(entry_of(line, job).external_id): line.number for line in reversed(lines) if line.number in taken}
    found = Submission.objects.filter(
        service=SERVICE, board=job.board, competition=0, external_id__in=ids, created_at=started_at
    )
    return {ids[str(external_id)]: pk for pk, external_id in found.values_list("pk", "external_id")}


def _first_told(run: ImportRun, chunk: ImportChunk, own: dict[int, int]) -> dict[int, int]:
    """Those of them that no earlier chunk has made: the same id may stand in several chunks of a file."""
    if run.columns.get("id_by_row"):
        return own
    before = run.chunks.filter(nth__lt=chunk.nth).values_list("kept", flat=True)
    made = {pk for kept in before for pk in kept}
    return {number: pk for number, pk in own.items() if pk not in made}


def _came(outcomes: list[Outcome], skipped: tuple[int, ...] = (), kept: tuple[int, ...] = ()) -> ChunkResult:
    errors = (each for each in outcomes if each.status == Status.REJECTED)
    return ChunkResult(
        statuses=Counter(each.status.value for each in outcomes),
        errors=tuple(Error(each.position, str(each.code), str(each.detail)) for each in errors),
        skipped=skipped,
        kept=kept,
    )


def _refuse_unsure(outcomes: list[Outcome]) -> None:
    """Raise ``StorageUnavailable`` where a row waits for a server: the chunk is tried again, as a whole."""
    for each in outcomes:
        if each.status == Status.UNKNOWN or each.code in AWAY:
            raise StorageUnavailable(str(each.detail))
