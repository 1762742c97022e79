"""Print all stored data of a player as JSON."""

from argparse import ArgumentParser
from typing import Any

from leaderboards.management.command import Command as BaseCommand
from leaderboards.selectors.player_data.personal_data import all_stored_data
from leaderboards.services.sync.flush import flush_to_sql


class Command(BaseCommand):
    """``player_export PLAYER``."""

    help = "Print all that is kept of a player as JSON: profile, standings, submissions, whatever points to them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the player's id."""
        parser.add_argument("player", metavar="PLAYER")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the data; standings that only Redis has are mirrored first. If Redis is away, the log says so."""
        flush_to_sql()
        self.print_json(all_stored_data(options["player"]))
