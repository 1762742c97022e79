"""Write many rows although SQL may refuse one of them.

The refused row is found by halving the batch, each half in its own savepoint. The trap: an error because SQL is away,
busy or in a deadlock is no fault of a row; it is raised, and no row becomes a dead letter.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import DatabaseError, OperationalError, transaction

Row = TypeVar("Row")


def write_isolating_failures(
    rows: Sequence[Row], write: Callable[[Sequence[Row]], None], write_dead_letter: Callable[[Row, DatabaseError], None]
) -> None:
    """Write the rows; pass each single row that SQL refuses to ``write_dead_letter`` instead."""
    if not rows:
        return
    try:
        with transaction.atomic():
            write(rows)
    except OperationalError:
        raise  # SQL is away or busy: no row is to blame
    except DatabaseError as error:
        if len(rows) > 1:
            middle = len(rows) // 2
            write_isolating_failures(rows[:middle], write, write_dead_letter)
            write_isolating_failures(rows[middle:], write, write_dead_letter)
        else:
            write_dead_letter(rows[0], error)
