"""Scores from a table: each row is read as strictly as an entry of the API, then submitted the same way.

A row is identified by its number. The traps: an unreadable row must not affect its neighbours; and the same file read
twice must not count twice, so ``row`` ids are made of the file's name and the number. A backfill writes a heartbeat
with each batch, so that the schedule leaves its periods open.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from foundation.errors import SunwiError
from foundation.messages import Message
from foundation.models import Heartbeat
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.input.entries import Entry, read_entry, read_json, read_time
from leaderboards.core.input.points import decimal_of
from leaderboards.core.input.profiles import profile_errors
from leaderboards.core.periods import PeriodKind, window_of
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.errors import BadEntry, BadLabel, BadTime
from leaderboards.models import Board, Period
from leaderboards.selectors.monitoring.backfills import backfill_heartbeat_name
from leaderboards.services.periods.close import Closed, close_period
from leaderboards.services.players.profiles import fill_missing_names
from leaderboards.services.submit.pipeline import backfill, submit

BATCH = 1000
SERVICE = "import"
ROW = "row"

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LONGEST_STEM = 100


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each part of an entry.

    ``constant`` replaces a column of points, ``fields`` (criterion, column) replace both; ``id`` may be ``ROW``.
    """

    player: str
    points: str | None
    constant: str
    at: str | None = None
    id: str | None = None
    id_by_row: bool = False
    name: str | None = None
    operator: str | None = None
    metadata: str | None = None
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreImport:
    """The board, the table's columns and name, and whether its periods lie in the past."""

    board: Board
    columns: Columns
    stem: str
    backfilled: bool = False


def import_batch(lines: Sequence[CsvRow], job: ScoreImport, at: datetime, *, dry_run: bool = False) -> list[Outcome]:
    """Submit up to ``BATCH`` rows; one outcome each, in their order, ``position`` being the row's number.

    ``dry_run`` evaluates the rows and applies none; not for a backfill.
    """
    outcomes: dict[int, Outcome] = {}
    entries: list[Entry] = []
    for line in lines:
        try:
            entries.append(entry_of(line, job))
        except SunwiError as error:
            outcomes[line.number] = _rejected(line, job, error)
    caller = Caller(SERVICE, is_trusted=True)
    if job.backfilled:
        Heartbeat.note(backfill_heartbeat_name(job.board.seq), at)
    found = backfill(entries, caller, at) if job.backfilled else submit(entries, caller, at, dry_run=dry_run)
    outcomes |= {outcome.position: outcome for outcome in found}
    if job.columns.name is not None and not dry_run:
        texts = {line.number: str(line.cells[job.columns.name]) for line in lines if job.columns.name in line.cells}
        accepted = [each for each in outcomes.values() if each.status.is_accepted and each.player]
        fill_missing_names({str(each.player): texts[each.position] for each in accepted})
    return [outcomes[line.number] for line in lines]


def close_past(board: Board, labels: Iterable[str], at: datetime) -> Iterator[Closed]:
    """Close the named periods that are over, oldest first, one at each step."""
    over = at - timedelta(seconds=board.grace_seconds)
    periods = Period.objects.filter(board=board, label__in=set(labels), ends_at__lte=over)
    for period in periods.select_related("board").order_by("ends_at"):
        yield close_period(period, at)


def entry_of(line: CsvRow, job: ScoreImport) -> Entry:
    """The row as an entry. Raises as ``read_entry``."""
    columns = job.columns
    if None in line.cells or None in line.cells.values():
        raise BadEntry(
            Message("The row has more or fewer cells than the header: look for a separator without quotes around it.")
        )
    raw = {"board": job.board.seq, "player": line.cells[columns.player]} | _value_cells(line, columns)
    # A row with an empty time counts as of now; in a backfill, where each row needs a time, it is refused.
    if columns.at is not None and (job.backfilled or line.cells[columns.at]):
        raw["at"] = _read_time_cell(str(line.cells[columns.at]), columns.at, job.board)
    if columns.id_by_row:
        raw["id"] = row_id(line, job)
    elif columns.id is not None:
        raw["id"] = line.cells[columns.id]
    if columns.operator is not None and line.cells[columns.operator]:
        raw["operator"] = line.cells[columns.operator]
    if columns.metadata is not None and line.cells[columns.metadata]:
        raw["metadata"] = _read_metadata_cell(str(line.cells[columns.metadata]), columns.metadata)
    if columns.name is not None and (wrong := profile_errors({"name": line.cells[columns.name]})):
        raise BadEntry(wrong["name"])
    return read_entry(raw, line.number)


def _value_cells(line: CsvRow, columns: Columns) -> dict[str, object]:
    """``points``, or ``fields`` without those whose cell is empty; a text that is no number stays one."""
    if not columns.fields:
        return {"points": columns.constant if columns.points is None else line.cells[columns.points]}
    cells = {name: str(line.cells[column]) for name, column in columns.fields}
    numbers = {name: decimal_of(text) for name, text in cells.items() if text}
    return {"fields": {name: cells[name] if number is None else number for name, number in numbers.items()}}


def _read_metadata_cell(text: str, column: str) -> object:
    """The JSON of a cell. Raises ``BadEntry``, which names the file's column."""
    try:
        return read_json(text.encode())
    except (ValueError, UnicodeEncodeError):
        raise BadEntry(Message("Column %(column)s: the metadata is no JSON.", column=column)) from None


def _read_time_cell(text: str, column: str, board: Board) -> str:
    """A bare date is the start of that day by the board's time zone and cut-off; other texts are read as by the API.

    Raises ``BadTime``, which names the file's column.
    """
    if not _DATE.fullmatch(text):
        try:
            return read_time(text).isoformat()
        except BadTime as error:
            why = error.detail
        raise BadTime(
            Message("Column %(column)s: %(why)s A date such as 2026-11-20 is taken too.", column=column, why=why)
        )
    day = replace(board.calendar, kind=PeriodKind.DAY)
    try:
        starts_at = window_of(day, text).starts_at
    except BadLabel:
        raise BadTime(
            Message("%(day)s is no day that the calendar of %(zone)s has.", day=text, zone=board.timezone)
        ) from None
    return starts_at.isoformat() if starts_at else text


def row_id(line: CsvRow, job: ScoreImport) -> str:
    """The id of a row of ``ROW``: the table's name and the row's number."""
    return f"{_stem(job.stem)}:{line.number}"


def _stem(stem: str) -> str:
    """The table's name, or its hash if it is too long for an id."""
    return stem if len(stem) <= _LONGEST_STEM else hashlib.sha256(stem.encode()).hexdigest()[:32]


def _rejected(line: CsvRow, job: ScoreImport, error: SunwiError) -> Outcome:
    return Outcome(
        position=line.number,
        status=Status.REJECTED,
        player=None,
        board=job.board.seq,
        code=error.code,
        detail=error.detail,
    )
