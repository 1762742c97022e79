"""Create a game server's key. The key and its signing secret are only printed here: SQL stores the key's hash."""

from argparse import ArgumentParser
from typing import Any

from django.db import transaction

from foundation.errors import Invalid
from foundation.security import key_restrictions, service_keys
from foundation.throttling.limits import Limit, read_limit
from leaderboards import selectors
from leaderboards.management.command import Command as BaseCommand


class Command(BaseCommand):
    """``create_service_key NAME --scope scores:write [--scope …] [--board SEQ …] [--limit 100/10] [--signed]
    [--address CIDR …]``."""

    help = "Make a service key and print it, alone on a line; with --signed its signing secret on the next. Shown once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options of the key."""
        parser.add_argument("name", metavar="NAME", help="the service that will hold the key")
        parser.add_argument(
            "--scope", action="append", required=True, help=f"one of {', '.join(service_keys.SCOPES)}; repeatable"
        )
        parser.add_argument(
            "--board", action="extend", nargs="+", type=int, metavar="SEQ", help="only these boards; default: all"
        )
        parser.add_argument(
            "--limit", metavar="REQUESTS/SECONDS", help="at most so many, such as 100/10; default: the site's limits"
        )
        parser.add_argument("--signed", action="store_true", help="each request must be signed; prints the secret too")
        parser.add_argument(
            "--address", action="extend", nargs="+", metavar="CIDR", help="only from these, such as 192.0.2.0/24"
        )

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        """Create and print the key; refuse boards that do not exist, which are typing errors."""
        for seq in options["board"] or ():
            selectors.board_by_seq(seq)
        limit = _limit(options["limit"])
        key, text = service_keys.make(options["name"], options["scope"], options["board"], limit=limit)
        key_restrictions.restrict_addresses(key, options["address"] or ())
        self.stdout.write(text)
        if options["signed"]:
            self.stdout.write(key_restrictions.require_signatures(key))


def _limit(text: str | None) -> Limit | None:
    try:
        return read_limit(text or "")
    except ValueError as error:
        raise Invalid(str(error)) from error
