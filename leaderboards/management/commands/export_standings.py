"""Print a whole period as CSV on standard output, from one moment of SQL."""

import csv
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from foundation import clock
from foundation.errors import Unavailable
from leaderboards import selectors
from leaderboards.core.input.csv_cells import raw_cell, safe_cell
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.command import format_time
from leaderboards.models import Period, PeriodState, Storage
from leaderboards.selectors.rankings.standings import Row
from leaderboards.services.sync.mirror import mirror


class Command(BaseCommand):
    """``export_standings --board SEQ [--period LABEL] [--raw] [--metadata]``."""

    help = "Print a period's standings as CSV, best first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the board, the period, ``--raw`` and ``--metadata``."""
        parser.add_argument("--board", type=int, required=True, metavar="SEQ")
        parser.add_argument("--period", default="current", metavar="LABEL", help="default: the running one")
        parser.add_argument("--raw", action="store_true", help="texts as they are, also what a spreadsheet would run")
        parser.add_argument("--metadata", action="store_true", help="with a column of metadata: JSON, empty for none")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the period; a redis board is mirrored to SQL first."""
        board, label = selectors.board_by_seq(options["board"]), options["period"]
        stored = selectors.find_period_row(board, label, clock.now())
        if stored is not None and stored.board.storage == Storage.REDIS and stored.state == PeriodState.OPEN:
            self._mirror(stored)
        rules = stored.rules if stored else board.rules
        values = ["points"] if rules.of_points else [field.name for field in rules.fields]
        _, rows = selectors.export_rows(board, label, options["metadata"])
        more = ["metadata"] if options["metadata"] else []
        table = csv.writer(self.stdout, lineterminator="\n")
        table.writerow(["rank", "player", "name", *values, "achieved_at", "tied", *more])
        cell = raw_cell if options["raw"] else safe_cell
        table.writerows([*_cells(row, cell), *([row.metadata or ""] if more else [])] for row in rows)

    def _mirror(self, period: Period) -> None:
        try:
            mirror(period)
        except Unavailable:
            self.stderr.write("Redis is away: the newest scores may be missing.")


def _cells(row: Row, cell: Callable[[object], object]) -> list[Any]:
    values = [row.points] if row.fields is None else [*row.fields.values()]
    return [row.rank, cell(row.player), cell(row.name), *values, format_time(row.achieved_at), row.tied]
