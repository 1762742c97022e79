"""Generations: numbers that only grow and are never used twice, also after a rollback.

They come from the sequence of a table, which a rollback does not set back.
"""

from django.db import connection

from foundation.sync.rows import DrawnGeneration

_TABLE = DrawnGeneration._meta.db_table


def next_generation() -> int:
    """Return the next number. On PostgreSQL this never waits for other transactions."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT nextval('{_TABLE}_id_seq')")
            return int(cursor.fetchone()[0])
    number = DrawnGeneration.objects.create().pk
    DrawnGeneration.objects.filter(pk__lt=number).delete()  # only the sequence is needed
    return number


def next_generation_above(number: int) -> int:
    """Return the next number that is greater than ``number``, raising the sequence if necessary."""
    drawn = next_generation()
    if drawn > number:
        return drawn
    raise_sequence(number)
    return next_generation()


def raise_sequence(number: int) -> None:
    """Make all later numbers greater than ``number``: SQL was restored from a backup and Redis was not."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{_TABLE}', 'id'), %s)"  # noqa: S608 - the table's name is a constant
                f" WHERE %s > (SELECT last_value FROM {_TABLE}_id_seq)",
                [number, number],
            )
    else:
        DrawnGeneration.objects.get_or_create(pk=number)
