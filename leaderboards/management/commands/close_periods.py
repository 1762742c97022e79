"""Close due periods by hand, as the schedule does every ten seconds."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from foundation import clock
from leaderboards.core.input.entries import read_time
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.command import format_time
from leaderboards.services.periods.close import close_due


class Command(BaseCommand):
    """``close_periods [--now TIME]``."""

    help = "Bring every period that is past its grace to its end, oldest first; prints what was done as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add ``--now``."""
        parser.add_argument("--now", metavar="TIME", help="RFC 3339, such as 2026-11-20T09:00:00Z; default: now")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the closed periods; a period that is not final yet is an error, and the command is run again."""
        at = clock.trusted_now() if options["now"] is None else read_time(options["now"])
        closed = close_due(at)
        self.print_json({"now": format_time(at), "closed": [asdict(each) for each in closed]})
        if waiting := [f"{each.board}/{each.label}: {each.detail}" for each in closed if not each.final]:
            raise CommandError(f"Not final yet: {'; '.join(waiting)}.")
