"""Import a table of scores through the same service as the API, a thousand rows at a time.

Prints how many rows were accepted and rejected, and why; the rejected rows are written to a file. The exit status is 0,
``REFUSED_ROWS`` if some rows were rejected and the others imported, 1 if it stopped before the end of the file, and 130
or 143 if Ctrl-C or TERM stopped it, after the thousand rows under way. The trap: what it prints then counts already.
"""

from argparse import ArgumentParser
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import CommandError
from django.db import DatabaseError

from foundation import clock
from foundation.audit import record
from foundation.chunks import in_chunks
from foundation.errors import SunwiError
from leaderboards import selectors
from leaderboards.core.input.points import decimal_of
from leaderboards.core.ranking.criteria import ACHIEVED_AT
from leaderboards.management import stopping
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.progress import Progress
from leaderboards.management.tables import DELIMITERS, RejectedRows, RejectsUnwritten, Table, open_table
from leaderboards.management.tally import Tally
from leaderboards.models import Board, Storage
from leaderboards.services.imports.actions import run_being_undone
from leaderboards.services.imports.score_rows import BATCH, ROW, Columns, ScoreImport, close_past, import_batch, row_id

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
        with open_table(options["file"], options["delimiter"]) as table, ExitStack() as stack:
            job = ScoreImport(board, _columns(table, options), table.file.stem, options["backfill"])
            by_row = partial(row_id, job=job) if job.columns.id_by_row else None
            rejects = stack.enter_context(RejectedRows(table, by_row))
            if board.storage == Storage.REDIS and options["id"]:
                self.stderr.write("A redis board remembers ids for a day or two: a second run after that counts again.")
            hold = stack.enter_context(stopping.held())
            self._run(_Import(table, job, rejects, options["id"], Tally()), hold)

    def _run(self, run: "_Import", hold: stopping.Hold) -> None:
        try:
            _import(run, hold)
            _close_past(run, hold)
        except (CommandError, SunwiError, DatabaseError, OSError, KeyboardInterrupt) as error:
            hold.end()
            if run.tally.rows or run.tally.is_batch_open:
                self._end_early(run, error)
            raise
        if not run.tally.rows:
            raise CommandError(f"{run.table.file} has a header and no rows: there is nothing to import.")
        _record(run)
        self._tell(run.rejects, run.tally)
        if run.tally.is_all_duplicate:
            self.stderr.write(_what_duplicates_mean(run.table, run.job))
        self._refuse_rejected(run.rejects, run.tally, run.by_id)

    def _end_early(self, run: "_Import", error: BaseException) -> None:
        """Record and print what counts already, whatever of the two is possible."""
        try:
            _record(run)
        except DatabaseError as unrecorded:
            self.stderr.write(f"The audit log has no entry of this import: {unrecorded}")
        try:
            self._tell(run.rejects, run.tally)
        finally:
            self.stderr.write(_what_to_do_after_a_stop(run.tally, run.by_id, error))

    def _refuse_rejected(self, rejects: RejectedRows, tally: Tally, by_id: str | None) -> None:
        """Raise ``CommandError`` with the status ``REFUSED_ROWS`` if there are rejected rows."""
        if unknown := tally.of_unknown_outcome():
            self.stdout.write(f"{unknown} of the rejected rows were not decided. {_what_to_do(by_id)}")
        if rejects.is_written:
            refused = f"{tally.refused} of {tally.rows} rows were rejected"
            raise CommandError(f"{refused}, and the others imported: see {rejects.file}.", returncode=REFUSED_ROWS)

    def _tell(self, rejects: RejectedRows, tally: Tally) -> None:
        """Print what was counted, and where the rejected rows are."""
        for line in tally.lines():
            self.stdout.write(line)
        if rejects.is_written:
            earlier = f" ({rejects.earlier.name} was there already, and stays)" if rejects.earlier else ""
            self.stdout.write(f"rejected rows: {rejects.file}{earlier}")


class _Import(NamedTuple):
    """A run of the command: what is imported, and what became of it so far."""

    table: Table
    job: ScoreImport
    rejects: RejectedRows
    by_id: str | None
    tally: Tally


def _import(run: _Import, hold: stopping.Hold) -> None:
    tally, progress = run.tally, Progress(run.table.size)
    for batch in in_chunks(run.table.lines(), BATCH):
        hold.check()
        tally.is_batch_open = True
        outcomes = import_batch(batch, run.job, clock.trusted_now())
        for outcome in outcomes:
            tally.add(outcome)
        tally.is_batch_open = False
        decided = zip(batch, outcomes, strict=True)
        run.rejects.add([(line, outcome) for line, outcome in decided if not outcome.status.is_accepted])
        progress.step(run.table.bytes_read(), f"{tally.rows:,} rows")
    tally.is_whole = True
    progress.close()


def _close_past(run: _Import, hold: stopping.Hold) -> None:
    if run.job.backfilled:
        for closed in close_past(run.job.board, run.tally.labels, clock.trusted_now()):
            run.tally.closed.append(closed)
            hold.check()


def _record(run: _Import) -> None:
    note = {"file": run.table.file.name, "rows": run.tally.rows, "periods": sorted(run.tally.labels)[:MOST_NAMED]}
    record("scores.imported", at=clock.now(), subjects=[("board", run.job.board.seq)], note=note)


def _what_to_do(by_id: str | None) -> str:
    if by_id:
        return "Run the same file again: by their ids rows that count do not count again."
    return "Without --id a row with `outcome_unknown` may count: look at its player's score before you import it again."


def _what_to_do_after_a_stop(tally: Tally, by_id: str | None, error: BaseException) -> str:
    if tally.is_whole:
        return (
            f"All {tally.rows:,} rows are through, as told above. Past periods that are still open are closed by the "
            "schedule, or by close_periods."
        )
    told = f"It stopped after row {tally.rows:,}: the rows up to there are as told above, and count already."
    if tally.is_batch_open:  # the batch that failed may have been committed
        told += f" Of the {BATCH:,} rows behind them some may count too."
    if by_id is None and isinstance(error, RejectsUnwritten):
        told += " Those named below as rejected do not count."
    if by_id is None:
        return (
            f"{told} Cut those {tally.rows:,} out below the header before you import the rest: they would count again."
        )
    is_broken_file = isinstance(error, CommandError) and not isinstance(error, RejectsUnwritten)
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
