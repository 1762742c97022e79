"""Import a table of scores through the same service as the API, a thousand rows at a time.

Prints how many rows were accepted and rejected, and why; the rejected rows are written to a file. The exit status is 0,
``REFUSED_ROWS`` if some rows were rejected and the others imported, and 1 if it stopped before the end of the file. The
trap: what it prints counts already then, too.
"""

from argparse import ArgumentParser
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError

from foundation import clock
from foundation.audit import record
from foundation.chunks import in_chunks
from foundation.errors import SunwiError
from leaderboards import selectors
from leaderboards.core.input.points import decimal_of
from leaderboards.core.ranking.criteria import ACHIEVED_AT
from leaderboards.core.submissions import Outcome, Status
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.progress import Progress
from leaderboards.management.tables import DELIMITERS, RejectedRows, Table, open_table
from leaderboards.models import Board, Storage
from leaderboards.services.imports.actions import run_being_undone
from leaderboards.services.imports.score_rows import BATCH, ROW, Columns, ScoreImport, close_past, import_batch, row_id
from leaderboards.services.imports.scores import AWAY
from leaderboards.services.periods.close import Closed

MOST_NAMED = 50  # periods in the audit entry
REFUSED_ROWS = 3  # exit status; 1 is for what stops a command, 2 for wrong options


class Command(BaseCommand):
    """``import_scores FILE.csv --board SEQ --player COLUMN --points COLUMN|1 …``, or ``--field NAME=COLUMN …``."""

    help = "Import scores from a CSV file with a header, as if a game server had sent them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file, the board, and the columns."""
        parser.add_argument("file", metavar="FILE.csv", type=Path)
        parser.add_argument("--delimiter", choices=tuple(DELIMITERS), default="comma", help="what is between two cells")
        parser.add_argument("--board", type=int, required=True, metavar="SEQ")
        parser.add_argument("--player", required=True, metavar="COLUMN", help="the game's own id of the player")
        parser.add_argument("--points", metavar="COLUMN|1", help="a column, or a number for every row")
        parser.add_argument(
            "--field",
            action="append",
            default=[],
            metavar="NAME=COLUMN",
            help="for a board with criteria, in place of --points: the column of a criterion; once for each",
        )
        parser.add_argument(
            "--at",
            metavar="COLUMN",
            help="when it happened: RFC 3339, or a date, which means the day's first moment on the board; default: now",
        )
        parser.add_argument(
            "--id",
            metavar="COLUMN|row",
            help="an id for each row, so that it counts once; `row` makes it of the file's name and the row's number",
        )
        parser.add_argument("--name", metavar="COLUMN", help="what players are called; who has a name keeps it")
        parser.add_argument("--operator", metavar="COLUMN", help="set, best, increment or decrement, or empty")
        parser.add_argument("--metadata", metavar="COLUMN", help="a JSON object of up to 2,048 bytes, or empty")
        parser.add_argument("--backfill", action="store_true", help="open periods of the past, and close them after")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Import the file. No rows are an error, and so are rejected rows, once the others are imported."""
        board = selectors.board_by_seq(options["board"])
        _refuse_impossible(board)
        _refuse_other_kind(board, options)
        tally = Tally()
        with open_table(options["file"], options["delimiter"]) as table, ExitStack() as stack:
            job = ScoreImport(board, _columns(table, options), table.file.stem, options["backfill"])
            by_row = partial(row_id, job=job) if job.columns.id_by_row else None
            rejects = stack.enter_context(RejectedRows(table, by_row))
            if board.storage == Storage.REDIS and options["id"]:
                self.stderr.write("A redis board remembers ids for a day or two: a second run after that counts again.")
            try:
                self._import(table, job, rejects, tally)
            except (CommandError, SunwiError, DatabaseError) as error:
                if tally.rows:
                    self._tell(rejects, tally)
                    self.stderr.write(_what_to_do_after_a_stop(tally.rows, options["id"], error))
                    _record(board, table, tally)
                raise
        if not tally.rows:
            raise CommandError(f"{table.file} has a header and no rows: there is nothing to import.")
        if job.backfilled:
            tally.closed = close_past(board, tally.labels, clock.trusted_now())
        _record(board, table, tally)
        self._tell(rejects, tally)
        if tally.is_all_duplicate:
            self.stderr.write(_what_duplicates_mean(table, job))
        self._refuse_rejected(rejects, tally, options["id"])

    def _import(self, table: Table, job: ScoreImport, rejects: RejectedRows, tally: "Tally") -> None:
        lines, progress = table.lines(), Progress(table.size)
        for batch in in_chunks(lines, BATCH):
            for line, outcome in zip(batch, import_batch(batch, job, clock.trusted_now()), strict=True):
                tally.add(outcome)
                if not outcome.status.is_accepted:
                    rejects.add(line, outcome)
            progress.step(table.bytes_read(), f"{tally.rows:,} rows")
        progress.close()

    def _refuse_rejected(self, rejects: RejectedRows, tally: "Tally", by_id: str | None) -> None:
        """Raise ``CommandError`` with the status ``REFUSED_ROWS`` if there are rejected rows."""
        if unknown := tally.of_unknown_outcome():
            self.stdout.write(f"{unknown} of the rejected rows were not decided. {_what_to_do(by_id)}")
        if rejects.is_written:
            refused = f"{tally.refused} of {tally.rows} rows were rejected"
            raise CommandError(f"{refused}, and the others imported: see {rejects.file}.", returncode=REFUSED_ROWS)

    def _tell(self, rejects: RejectedRows, tally: "Tally") -> None:
        """Print what was counted, and where the rejected rows are."""
        for line in tally.lines():
            self.stdout.write(line)
        if rejects.is_written:
            earlier = f" ({rejects.earlier.name} was there already, and stays)" if rejects.earlier else ""
            self.stdout.write(f"rejected rows: {rejects.file}{earlier}")


class Tally:
    """Counts of the rows so far, by status and by code of rejection."""

    def __init__(self) -> None:
        self.rows = 0
        self.closed: list[Closed] = []
        self.labels: set[str] = set()
        self._statuses: Counter[Status] = Counter()
        self._codes: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, outcome: Outcome) -> None:
        """Count one row."""
        self.rows += 1
        self._statuses[outcome.status] += 1
        if outcome.period is not None:
            self.labels.add(outcome.period)
        if outcome.code is not None:
            self._codes[outcome.code] += 1
            self._first.setdefault(outcome.code, f"row {outcome.position}: {outcome.detail}")

    @property
    def refused(self) -> int:
        """How many rows do not count."""
        return sum(number for status, number in self._statuses.items() if not status.is_accepted)

    @property
    def is_all_duplicate(self) -> bool:
        """Whether there are rows, and each had counted before."""
        return 0 < self.rows == self._statuses[Status.DUPLICATE]

    def of_unknown_outcome(self) -> int:
        """Return how many rows were not decided: a server did not answer."""
        return sum(self._codes[code] for code in AWAY)

    def lines(self) -> list[str]:
        """Return the counts as lines of ``name: value``."""
        counts = self._statuses
        accepted = sum(number for status, number in counts.items() if status.is_accepted)
        by_status = ", ".join(f"{counts[status]} {status}" for status in Status if status.is_accepted)
        lines = [f"rows: {self.rows}", f"accepted: {accepted} ({by_status})", f"rejected: {self.rows - accepted}"]
        lines += [f"  {code}: {number}, first in {self._first[code]}" for code, number in self._codes.most_common()]
        final = sum(closed.final for closed in self.closed)
        lines.append(f"periods: {len(self.labels)} ({final} closed)" if self.closed else f"periods: {len(self.labels)}")
        return lines + [f"  {each.label} waits: {each.detail}" for each in self.closed if not each.final]


def _record(board: Board, table: Table, tally: Tally) -> None:
    note = {"file": table.file.name, "rows": tally.rows, "periods": sorted(tally.labels)[:MOST_NAMED]}
    record("scores.imported", at=clock.now(), subjects=[("board", board.seq)], note=note)


def _what_to_do(by_id: str | None) -> str:
    if by_id:
        return "Run the same file again: by their ids rows that count do not count again."
    return "Without --id a row with `outcome_unknown` may count: look at its player's score before you import it again."


def _what_to_do_after_a_stop(rows: int, by_id: str | None, error: Exception) -> str:
    told = f"It stopped after row {rows:,}: the rows up to there are as told above, and count already."
    is_broken_file = isinstance(error, CommandError)
    if not is_broken_file:  # the batch that failed may have been committed
        told += f" Of the {BATCH:,} rows behind them some may count too."
    if by_id is None:
        return f"{told} Cut those {rows:,} out below the header before you import the rest: they would count again."
    mend = "Mend the file, leave its name and its first rows as they are, and run" if is_broken_file else "Run"
    return f"{told} {mend} it again with the same options: by their ids those do not count again."


def _what_duplicates_mean(table: Table, job: ScoreImport) -> str:
    if not job.columns.id_by_row:
        return "Every row is a duplicate: all their ids had counted on this board before."
    return (
        f"Every row is a duplicate: a file named {table.file.stem} was imported into this board before. The ids of "
        "--id row have the file's name without its folder: if this is another file, give it another name."
    )


def _refuse_impossible(board: Board) -> None:
    if board.is_event:
        raise CommandError(f"Board {board.seq} counts in competitions, which no table names: choose another board.")
    if undone := run_being_undone(board):
        raise CommandError(f"Import {undone.pk} into board {board.seq} is being undone: run it again when it is.")


def _refuse_other_kind(board: Board, options: dict[str, Any]) -> None:
    """Raise ``CommandError`` unless there is ``--points`` for a board of points, ``--field`` for one with criteria."""
    if not board.criteria:
        if options["field"]:
            raise CommandError(f"Board {board.seq} ranks by points: give --points COLUMN in place of --field.")
        if options["points"] is None:
            raise CommandError(f"Board {board.seq} ranks by points: --points COLUMN says which column has them.")
        return
    names = [field.name for field in board.rules.fields]
    if options["points"] is not None or not options["field"]:
        wanted = " ".join(f"--field {name}=COLUMN" for name in names)
        raise CommandError(f"Board {board.seq} ranks by criteria: give {wanted} in place of --points.")


def _columns(table: Table, options: dict[str, Any]) -> Columns:
    points, by = options["points"], options["id"]
    is_constant = points is not None and points not in table.header and decimal_of(points) is not None
    by_row = by == ROW and ROW not in table.header
    return Columns(
        player=table.column(options["player"], "--player"),
        points=None if is_constant or points is None else table.column(points, "--points"),
        constant=points if is_constant else "",
        at=table.column(options["at"], "--at") if options["at"] is not None else None,
        id=None if by is None or by_row else table.column(by, "--id"),
        id_by_row=by_row,
        fields=_fields(table, options["field"]),
        **{
            name: table.column(options[name], f"--{name}")
            for name in ("name", "operator", "metadata")
            if options[name] is not None
        },
    )


def _fields(table: Table, given: list[str]) -> tuple[tuple[str, str], ...]:
    """Return the column of each criterion. Raises ``CommandError``."""
    columns: dict[str, str] = {}
    for text in given:
        name, sign, column = text.partition("=")
        if not (name and sign and column):
            raise CommandError(f"--field {text}: write NAME=COLUMN, such as stage=stage.")
        if name == ACHIEVED_AT:
            raise CommandError(f"--field {text}: {ACHIEVED_AT} is the time of the row: give --at {column}.")
        if name in columns:
            raise CommandError(f"--field {text}: {name} is given twice; give one column for it.")
        columns[name] = table.column(column, f"--field {name}")
    return tuple(columns.items())
