"""Print a whole period as CSV on standard output, from one moment of SQL."""

from argparse import ArgumentParser
from typing import Any

from foundation import clock
from foundation.errors import Unavailable
from leaderboards import selectors
from leaderboards.management.command import Command as BaseCommand
from leaderboards.models import Period, PeriodState, Storage
from leaderboards.selectors.exports.standings_csv import NO_MORE, csv_parts
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
        _, rows = selectors.export_rows(board, label, options["metadata"])
        more = NO_MORE.with_metadata() if options["metadata"] else NO_MORE
        columns = [field.name for field in rules.fields]
        for part in csv_parts(columns, rows, options["raw"], more, line_end="\n"):
            self.stdout.write(part.decode(), ending="")

    def _mirror(self, period: Period) -> None:
        try:
            mirror(period)
        except Unavailable:
            self.stderr.write("Redis is away: the newest scores may be missing.")
