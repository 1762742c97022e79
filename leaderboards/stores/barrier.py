"""The barrier of a period: writers and the mirror hold it shared, closing and settling exclusive.

On PostgreSQL a transaction's advisory lock, taken in a statement of its own: what the next statement
reads was committed before the barrier opened (READ COMMITTED). On SQLite every transaction
begins IMMEDIATE, which is the barrier.
"""

from django.db import connection

_CLASS = 0x53_75_6E  # the first of the lock's two numbers: it keeps other users of advisory locks apart


def hold_shared(period_id: int) -> None:
    """Wait for closing and settling, then keep them out until this transaction ends."""
    _lock("pg_advisory_xact_lock_shared", period_id)


def hold_exclusive(period_id: int) -> None:
    """Wait for all writers, then keep everybody out until this transaction ends."""
    _lock("pg_advisory_xact_lock", period_id)


def _lock(function: str, period_id: int) -> None:
    if not connection.in_atomic_block:
        raise RuntimeError("the barrier needs a transaction to live in")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}(%s, %s)", [_CLASS, period_id % 2**31])
