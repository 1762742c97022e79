"""A program: brings the database in DATABASE_URL to the squashed migrations (``before``) or the last (``latest``)."""

import sys

import django
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

OURS = ("foundation", "accounts", "leaderboards", "likes", "competitions")


def main(where: str) -> None:
    """Migrate."""
    if where == "latest":
        call_command("migrate", verbosity=0)
        return
    executor = MigrationExecutor(connection)
    squashed = [(app, name) for app, name in executor.loader.graph.nodes if "_squashed_" in name and app in OURS]
    executor.migrate(squashed)


if __name__ == "__main__":
    django.setup()
    main(sys.argv[1])
