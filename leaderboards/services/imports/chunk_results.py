"""The result of a chunk, and recording it: once per chunk and step, however often it is tried."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from foundation.failpoints import failpoint
from foundation.translate import stored_text, to_json
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.input.import_rows import unpack_rows
from leaderboards.models import ImportChunk, ImportRun

MOST_ERRORS = 100


class Error(NamedTuple):
    """A rejected row, and why."""

    row: int
    code: str
    detail: str


class ChunkResult(NamedTuple):
    """The result of a chunk: rows by status, errors, rows that applying skips, and the submissions that it made."""

    statuses: Mapping[str, int]
    errors: tuple[Error, ...] = ()
    skipped: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()


Finish = Callable[[], ChunkResult]


def lines_of(run: ImportRun, chunk: ImportChunk) -> list[CsvRow]:
    """The rows of a chunk that is not applied yet."""
    return list(unpack_rows(run.columns["header"], bytes(chunk.content)))


@transaction.atomic
def record_evaluated(run: ImportRun, chunk: ImportChunk, finish: Finish, at: datetime) -> bool:
    """Record the evaluation of a chunk; False if another worker has recorded it, or the evaluation started again."""
    evaluation = run.checks
    run, chunk = _lock(run, chunk)
    if chunk.checked_at is not None or run.checks != evaluation:
        return False
    result = finish()
    chunk.checked_at, chunk.skipped = at, list(result.skipped)
    chunk.save(update_fields=["checked_at", "skipped"])
    _add(run, "checked", result)
    return True


@transaction.atomic
def record_applied(run: ImportRun, chunk: ImportChunk, finish: Finish, at: datetime) -> bool:
    """Record the application of a chunk; ``finish`` may apply it, in this transaction. False if it was recorded."""
    run, chunk = _lock(run, chunk)
    if chunk.applied_at is not None or run.done_at is not None:
        return False
    result = finish()
    chunk.applied_at, chunk.kept, chunk.content = at, list(result.kept), b""
    chunk.save(update_fields=["applied_at", "kept", "content"])
    _add(run, "applied", result)
    failpoint("import.before_commit")
    return True


def _lock(run: ImportRun, chunk: ImportChunk) -> tuple[ImportRun, ImportChunk]:
    locked = ImportRun.objects.select_for_update(of=("self",)).get(pk=run.pk)
    return locked, ImportChunk.objects.select_for_update().get(pk=chunk.pk)


def _add(run: ImportRun, counter: str, result: ChunkResult) -> None:
    setattr(run, counter, getattr(run, counter) + sum(result.statuses.values()))
    run.refused += len(result.errors)
    before = run.report.get("errors", [])
    added = result.errors[: max(0, MOST_ERRORS - len(before))]
    run.report["errors"] = [*before, *([each.row, each.code, stored_text(each.detail)] for each in added)]
    messages = {str(each.row): to_json(each.detail) for each in added}
    run.report["messages"] = run.report.get("messages", {}) | messages
    run.report["statuses"] = dict(Counter(run.report.get("statuses", {})) + Counter(result.statuses))
    run.save(update_fields=[counter, "refused", "report"])
