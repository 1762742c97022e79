"""Generations: numbers that only grow and are never drawn twice, also after a rollback.

Each comes from the table's own sequence, in a transaction of its own: draw before the barrier is taken.
"""

from django.db import connection

from leaderboards.models import DrawnGeneration


def draw() -> int:
    """The next number."""
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
