"""Compare counts of likes with the likes, as the schedule does every five minutes, but without a time limit."""

from argparse import ArgumentParser
from dataclasses import asdict
from math import inf
from typing import Any

from django.core.management.base import CommandError

from foundation import clock
from leaderboards.management.command import Command as BaseCommand
from likes.services.check import check_all


class Command(BaseCommand):
    """``check_likes [--kind KIND] [--repair]``."""

    help = "Compare the counts of likes in SQL and Redis with the likes; prints what was found and done as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take a kind, and whether to repair."""
        parser.add_argument("--kind", metavar="KIND", help="one kind; default: all")
        parser.add_argument("--repair", action="store_true", help="put right what differs")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the differences; raise ``CommandError`` if some are not repaired."""
        checked = check_all(clock.now(), inf, options["repair"], options["kind"])
        self.print_json({"checked": [asdict(each) for each in checked]})
        if left := sum(not found.repaired for each in checked for found in each.differences):
            raise CommandError(f"{left} counts differ; `--repair` puts them right.")
