"""Another session of SQL, whose transaction stays open meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def another_session(*statements: str) -> Iterator[None]:
    """A session has done these statements, and its transaction stays open until the block ends."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        yield
    finally:
        other.rollback()
        other.close()
