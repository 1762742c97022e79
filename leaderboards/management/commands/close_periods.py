"""Close due periods by hand, as the schedule does every ten seconds."""

from argparse import ArgumentParser
from dataclasses import asdict
from datetime import datetime
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
        parser.add_argument(
            "--now", metavar="TIME", help="RFC 3339, such as 2026-11-20T09:00:00Z, and not in the future; default: now"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the closed periods; a period that is not final yet is an error, and the command is run again."""
        at = _read_past_time(options["now"])
        closed = close_due(at)
        self.print_json({"now": format_time(at), "closed": [asdict(each) for each in closed]})
        if waiting := [f"{each.board}/{each.label}: {each.detail}" for each in closed if not each.final]:
            raise CommandError(f"Not final yet: {'; '.join(waiting)}.")


def _read_past_time(text: str | None) -> datetime:
    """Parse ``--now``; None means the trusted clock's time. Raises ``CommandError`` for a later time.

    Closing cannot be undone, so a time in the future would end periods that still run.
    """
    present = clock.trusted_now()
    at = present if text is None else read_time(text)
    if at > present:
        raise CommandError(
            f"--now {format_time(at)} is in the future: it is {format_time(present)}. Periods that still run would end "
            "for good, so nothing was closed. Give a time in the past, or leave --now out."
        )
    return at
