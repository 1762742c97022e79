"""Rebuild what Redis shows of a board, from SQL, by hand."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from foundation import clock
from leaderboards import selectors
from leaderboards.management.command import Command as BaseCommand
from leaderboards.models import Storage
from leaderboards.services.rebuild import rebuild


class Command(BaseCommand):
    """``rebuild --board SEQ [--period LABEL]``."""

    help = "Put a board's periods into Redis anew, from SQL; prints what was done as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The board, and one of its periods; else all that live."""
        parser.add_argument("--board", type=int, required=True, metavar="SEQ")
        parser.add_argument("--period", metavar="LABEL", help="one period; default: every period that is not final")

    def handle(self, *_args: Any, **options: Any) -> None:
        """A period that is not settled after it is an error: run it again."""
        board = selectors.board_by_seq(options["board"])
        if board.storage == Storage.SQL:
            raise CommandError(f"Board {board.seq} keeps nothing in Redis: there is nothing to rebuild.")
        rebuilt = rebuild(board, options["period"], clock.now())
        self.print_json({"board": board.seq, "storage": board.storage, "rebuilt": [asdict(each) for each in rebuilt]})
        if waiting := [each.period for each in rebuilt if not each.settled]:
            raise CommandError(f"Not settled yet, because writers or the worker were at it: {', '.join(waiting)}.")
