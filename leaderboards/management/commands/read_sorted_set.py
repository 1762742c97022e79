"""Print a sorted set of another program as CSV on standard output, for ``import_scores``."""

import csv
import re
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboards.core.instants import from_milliseconds
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.command import format_time
from leaderboards.stores.external_zset import ExternalZset, read_external_zset

WAYS = ("ms", "left")
_MEMBER = re.compile(r"([0-9]{1,19})_(.+)", re.ASCII | re.DOTALL)
_LAST_MS = 253_402_300_799_999  # the end of the year 9999


class Command(BaseCommand):
    """``read_sorted_set ADDRESS KEY [--names HASH [--name-field FIELD]] [--whole-of N] [--time-in-member WAY]``."""

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

        parser.add_argument(
            "--time-in-member",
            choices=WAYS,
            default="",
            help="members read TIME_PLAYER: in `ms` since 1970, or what is `left` of it to 2^63-1; it becomes `at`",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the set. Members that are no UTF-8, or have no readable name, are listed on stderr: exit status 1."""
        if options["whole_of"] < 1:
            raise CommandError("--whole-of must be a whole number of at least 1.")
        if options["name_field"] and not options["names"]:
            raise CommandError("--name-field says what to take of --names: name the hash too.")
        source = ExternalZset(
            options["address"], options["key"], options["names"], options["name_field"], options["whole_of"]
        )
        table, skipped, nameless = csv.writer(self.stdout, lineterminator="\n"), 0, 0
        way, header = options["time_in_member"], ["player", "points"]
        header += [*(["name"] if source.names else []), *(["at"] if options["time_in_member"] else [])]
        for row in read_external_zset(source):
            try:
                player = row.member.decode()
            except UnicodeDecodeError:
                skipped += 1
                self.stderr.write(f"left out: {row.member!r} is no UTF-8")
                continue
            if row.name is None:
                nameless += 1
                self.stderr.write(f"without a name: the data of {player!r} in {source.names!r} is no JSON object")
            player, *at = _split(player, way) if way else (player,)
            if header:  # printed with the first row: a command that fails at once prints nothing
                table.writerow(header)
                header = []
            table.writerow([player, row.points, *([row.name or ""] if source.names else []), *at])
        _refuse_troubles(skipped, nameless)


def _refuse_troubles(skipped: int, nameless: int) -> None:
    """Raise ``CommandError`` if members were left out or printed without a name."""
    troubles = [f"{skipped} members are no text, and were left out."] if skipped else []
    if nameless:
        troubles.append(
            f"{nameless} members have data that is no JSON object, and were printed without a name. "
            "If the data are the names, leave --name-field out."
        )
    if troubles:
        raise CommandError(" ".join(troubles))


def _split(member: str, way: str) -> tuple[str, str | None]:
    """Return the player and the time of a member such as ``0001795264201000_alice``. Raises ``CommandError``."""
    match = _MEMBER.fullmatch(member)
    if match is None:
        raise CommandError(f"{member[:80]!r} has no time before its player: leave --time-in-member out.")
    ms = int(match[1]) if way == "ms" else 2**63 - 1 - int(match[1])
    if not 0 <= ms <= _LAST_MS:
        raise CommandError(f"The time of {member[:80]!r} is none of this calendar: is it the other --time-in-member?")
    return match[2], format_time(from_milliseconds(ms))
