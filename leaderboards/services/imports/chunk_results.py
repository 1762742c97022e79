"""What a chunk of a run came to, and writing that down: once for each chunk and step, however often it was tried."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from foundation.failpoints import failpoint
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.input.import_rows import unpack_rows
from leaderboards.models import ImportChunk, ImportRun

MOST_ERRORS = 100


class Error(NamedTuple):
    """A row that cannot be taken, and why."""

    row: int
    code: str
    detail: str


class ChunkResult(NamedTuple):
    """What became of a chunk: its rows by status, those that were refused, and rows that the applying passes over."""

    statuses: Mapping[str, int]
    errors: tuple[Error, ...] = ()
    skipped: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()


Finish = Callable[[], ChunkResult]


def lines_of(run: ImportRun, chunk: ImportChunk) -> list[CsvRow]:
    """The rows of a chunk that was not applied yet."""
    return list(unpack_rows(run.columns["header"], bytes(chunk.content)))


@transaction.atomic
def record_evaluated(run: ImportRun, chunk: ImportChunk, finish: Finish, at: datetime) -> bool:
    """Write down what the judging of a chunk came to; False where another worker has done so, or it began anew."""
    judging = run.judgings
    run, chunk = _hold(run, chunk)
    if chunk.judged_at is not None or run.judgings != judging:
        return False
    came = finish()
    chunk.judged_at, chunk.skipped = at, list(came.skipped)
    chunk.save(update_fields=["judged_at", "skipped"])
    _add(run, "judged", came)
    return True


@transaction.atomic
def record_applied(run: ImportRun, chunk: ImportChunk, finish: Finish, at: datetime) -> bool:
    """The same of the applying; ``finish`` may do the deed itself, which is then one with this transaction."""
    run, chunk = _hold(run, chunk)
    if chunk.applied_at is not None or run.done_at is not None:
        return False
    came = finish()
    chunk.applied_at, chunk.kept, chunk.content = at, list(came.kept), b""
    chunk.save(update_fields=["applied_at", "kept", "content"])
    _add(run, "applied", came)
    failpoint("import.before_commit")
    return True


def _hold(run: ImportRun, chunk: ImportChunk) -> tuple[ImportRun, ImportChunk]:
    locked = ImportRun.objects.select_for_update(of=("self",)).get(pk=run.pk)
    return locked, ImportChunk.objects.select_for_update().get(pk=chunk.pk)


def _add(run: ImportRun, counter: str, came: ChunkResult) -> None:
    setattr(run, counter, getattr(run, counter) + sum(came.statuses.values()))
    run.refused += len(came.errors)
    run.report["errors"] = _with(run.report.get("errors", []), came.errors)
    run.report["statuses"] = dict(Counter(run.report.get("statuses", {})) + Counter(came.statuses))
    run.save(update_fields=[counter, "refused", "report"])


def _with(before: list[Any], errors: Iterable[Error]) -> list[Any]:
    shown = [[each.row, each.code, each.detail.encode("utf-8", "replace").decode()] for each in errors]
    return [*before, *shown][:MOST_ERRORS]
