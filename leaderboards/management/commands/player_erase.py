"""Erase who a player is; prints what was erased."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from foundation import clock
from leaderboards.management.command import Command as BaseCommand
from leaderboards.services.erase import erase_player


class Command(BaseCommand):
    """``player_erase PLAYER``. It cannot be undone."""

    help = "Take a player out of open periods, and give him a number for a name in all that is final; prints JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The game's own id."""
        parser.add_argument("player", metavar="PLAYER")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Where a period cannot be touched now, the command says which, and is run again later."""
        self.print_json(asdict(erase_player(options["player"], clock.now())))
