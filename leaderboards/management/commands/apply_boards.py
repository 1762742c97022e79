"""Create or update boards from a JSON file, by name, all or none. Decimals are read exactly, never as floats."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from foundation import clock
from leaderboards.core.input.csv_table import read_boards
from leaderboards.import_errors import BadTable
from leaderboards.management.command import Command as BaseCommand
from leaderboards.selectors.previews.board_change import BoardChange, as_json
from leaderboards.services.board_files import apply_boards, preview_boards


class Command(BaseCommand):
    """``apply_boards FILE.json [--dry-run]``."""

    help = 'Make or update the boards of a file {"boards": [{settings}, …]}, by name, all or none.'

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file and ``--dry-run``."""
        parser.add_argument("file", metavar="FILE.json", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="print what it would do, and change nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the boards' numbers, or the preview."""
        try:
            settings = read_boards(options["file"].read_bytes())
        except OSError as error:
            raise CommandError(f"{options['file']} can not be read: {error.strerror}.") from error
        except BadTable as error:
            raise CommandError(error.detail.replace("The file", f"{options['file']}: the file", 1)) from error
        if options["dry_run"]:
            changes = preview_boards(settings, clock.trusted_now())
            self.print_json({"would": [_told(*each) for each in zip(changes, settings, strict=True)]})
        else:
            self.print_json({"boards": apply_boards(settings, clock.trusted_now())})


def _told(change: BoardChange, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the change as JSON; of a new board only the settings that the file has, which have no old value."""
    told = as_json(change)
    if change.is_new:
        given = [each for each in told["changes"] if each["setting"] in settings]
        told["changes"] = [{name: value for name, value in each.items() if name != "old"} for each in given]
    return told
