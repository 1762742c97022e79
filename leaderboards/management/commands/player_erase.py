"""Erase a player, or anonymise them; prints what was erased."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from foundation import clock
from leaderboards.management.command import Command as BaseCommand
from leaderboards.services.players.erase import erase_player


class Command(BaseCommand):
    """``player_erase PLAYER [--keep-scores]``. It cannot be undone."""

    help = "Take a player out of open periods, and give them a number for a name in all that is final; prints JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the player's id and ``--keep-scores``."""
        parser.add_argument("player", metavar="PLAYER")
        parser.add_argument(
            "--keep-scores",
            action="store_true",
            help="Anonymise: refuse, and change nothing, while the player has a score in a period that is not final.",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Erase the player; if a period cannot be changed now, the error names it, and the command is run again."""
        erased = erase_player(options["player"], clock.now(), keep_scores=options["keep_scores"])
        self.print_json(asdict(erased))
