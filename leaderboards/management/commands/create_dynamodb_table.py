"""Create the table of boards in DynamoDB."""

from typing import Any

from foundation.sunwi_settings import sunwi_settings
from leaderboards.management.command import Command as BaseCommand
from leaderboards.stores.dynamodb.table import create_table, table_problem


class Command(BaseCommand):
    """``create_dynamodb_table``."""

    help = "Create the table that boards with the storage dynamodb share (DYNAMODB_TABLE), unless it is there."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Create it, and print as JSON whether it was made and what is wrong with it ("" for nothing)."""
        was_made = create_table()
        self.print_json({"table": sunwi_settings.DYNAMODB_TABLE, "made": was_made, "problem": table_problem()})
