"""Write all boards, players, standings, results and rows as files into a new folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from competitions.management.export_folder import export_to
from foundation import clock
from foundation.audit import record
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.command import format_time
from leaderboards.services.sync.flush import flush_to_sql


class Command(BaseCommand):
    """``export_everything FOLDER``."""

    help = "Write everything that people would take along into a new folder: CSV, JSON, and a manifest with hashes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the folder."""
        parser.add_argument("folder", metavar="FOLDER", type=Path, help="a new or an empty one")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write the files; what only Redis has is mirrored first. If Redis is away, the log says so."""
        flush_to_sql()
        at, written = export_to(options["folder"])
        record("everything.exported", at=clock.now(), note={"files": len(written)})
        self.print_json({"as_of": format_time(at), "files": len(written), "rows": sum(each.rows for each in written)})
