"""Generations: numbers that only grow and are never drawn twice, also after a rollback.

Each comes from the table's own sequence, which no roll-back sets back.
"""

from django.db import connection

from leaderboards.models import DrawnGeneration


def draw() -> int:
    """The next number. On PostgreSQL nobody waits for it, also within a transaction that takes long."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT nextval('leaderboards_drawngeneration_id_seq')")
            return int(cursor.fetchone()[0])
    number = DrawnGeneration.objects.create().pk
    DrawnGeneration.objects.filter(pk__lt=number).delete()  # rows are of no use once their numbers are spent
    return number


def lift(above: int) -> None:
    """Let all numbers from here on be greater than ``above``: SQL was restored from a backup, Redis was not."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence('leaderboards_drawngeneration', 'id'), %s)"
                " WHERE %s > (SELECT last_value FROM leaderboards_drawngeneration_id_seq)",
                [above, above],
            )
    else:
        DrawnGeneration.objects.get_or_create(pk=above)
