"""Print a sorted set of another program as CSV on standard output, for ``import_scores``."""

import csv
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboards.management.command import Command as BaseCommand
from leaderboards.stores.external_zset import ExternalZset, read_external_zset


class Command(BaseCommand):
    """``read_sorted_set ADDRESS KEY [--names HASH [--name-field FIELD]] [--whole-of NUMBER]``."""

    help = "Print a sorted set of any Redis as CSV, greatest score first. It must rest meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the address and key of the set, and the meaning of its members and scores."""
        parser.add_argument("address", metavar="ADDRESS", help="such as redis://localhost:6379/0")
        parser.add_argument("key", metavar="KEY")
        parser.add_argument("--names", default="", metavar="HASH", help="a hash with the name of each member")
        parser.add_argument(
            "--name-field", default="", metavar="FIELD", help="its values are JSON objects, and this is the name"
        )
        parser.add_argument(
            "--whole-of",
            type=int,
            default=1,
            metavar="NUMBER",
            help="points are the whole part of score / NUMBER: for scores with a time packed behind them",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the set; members that are no UTF-8 are named on stderr, and make the exit status 1."""
        if options["whole_of"] < 1:
            raise CommandError("--whole-of is a whole number of at least 1.")
        if options["name_field"] and not options["names"]:
            raise CommandError("--name-field says what to take of --names: name the hash too.")
        source = ExternalZset(
            options["address"], options["key"], options["names"], options["name_field"], options["whole_of"]
        )
        table, skipped = csv.writer(self.stdout, lineterminator="\n"), 0
        table.writerow(["player", "points", *(["name"] if source.names else [])])
        for row in read_external_zset(source):
            try:
                player = row.member.decode()
            except UnicodeDecodeError:
                skipped += 1
                self.stderr.write(f"left out: {row.member!r} is no UTF-8")
                continue
            table.writerow([player, row.points, *([row.name] if source.names else [])])
        if skipped:
            raise CommandError(f"{skipped} members are no text, and were left out.")
