"""Writing many rows of which SQL may refuse one: the others must not wait for it.

Who is to blame is found by halves, each in a savepoint of its own. The trap: a server that is away, busy or in a
deadlock blames nobody, so such an error is raised as it is and nothing is set apart.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import DatabaseError, OperationalError, transaction

Row = TypeVar("Row")


def write_isolating_failures(
    rows: Sequence[Row], write: Callable[[Sequence[Row]], None], write_dead_letter: Callable[[Row, DatabaseError], None]
) -> None:
    """Write rows, each half by itself where SQL refuses the whole, until the poisonous one stands alone: bury that."""
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
