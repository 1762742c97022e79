"""All that is kept of a player, as JSON."""

from argparse import ArgumentParser
from typing import Any

from leaderboards.management.command import Command as BaseCommand
from leaderboards.selectors.kept import all_kept
from leaderboards.services.follow import follow_all


class Command(BaseCommand):
    """``player_export PLAYER``."""

    help = "Print all that is kept of a player as JSON: profile, standings, submissions, whatever points to them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The game's own id."""
        parser.add_argument("player", metavar="PLAYER")

    def handle(self, *_args: Any, **options: Any) -> None:
        """What only Redis has is mirrored first; where it is away, the log says so."""
        follow_all()
        self.print_json(all_kept(options["player"]))
