"""Generations: numbers that only grow and are never drawn twice, also after a rollback.

Each comes from the table's own sequence, which no roll-back sets back.
"""

from django.db import connection

from foundation.sync.rows import DrawnGeneration

_TABLE = DrawnGeneration._meta.db_table


def next_generation() -> int:
    """The next number. On PostgreSQL nobody waits for it, also within a transaction that takes long."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT nextval('{_TABLE}_id_seq')")
            return int(cursor.fetchone()[0])
    number = DrawnGeneration.objects.create().pk
    DrawnGeneration.objects.filter(pk__lt=number).delete()  # rows are of no use once their numbers are spent
    return number


def next_generation_above(number: int) -> int:
    """The next number, if need be after a ``raise_sequence``."""
    drawn = next_generation()
    if drawn > number:
        return drawn
    raise_sequence(number)
    return next_generation()


def raise_sequence(number: int) -> None:
    """Let all numbers from here on be greater than this: SQL was restored from a backup, Redis was not."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{_TABLE}', 'id'), %s)"  # noqa: S608 (a name of our own)
                f" WHERE %s > (SELECT last_value FROM {_TABLE}_id_seq)",
                [number, number],
            )
    else:
        DrawnGeneration.objects.get_or_create(pk=number)
