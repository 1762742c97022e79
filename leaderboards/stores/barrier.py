"""The barrier of a period: writers and the mirror hold it shared, closing and settling exclusive.

What else Redis decides over has barriers alike, in a space of numbers of its own.

On PostgreSQL a transaction's advisory lock, taken in a statement of its own: what the next statement
reads was committed before the barrier opened (READ COMMITTED). On SQLite every transaction
begins IMMEDIATE, which is the barrier.
"""

import time

from django.db import OperationalError, connection, transaction

from foundation import clock
from foundation.errors import Unavailable
from foundation.statements import Statements

PERIODS = 0x53_75_6E  # the first of the lock's two numbers: it keeps other users of advisory locks apart
LIKES = PERIODS + 1
PATIENCE_SECONDS = 10.0
QUEUED_MS = 250  # for whoever waits to be alone holds up all who come after
REST_SECONDS = 0.05
LOCK_NOT_AVAILABLE = "55P03"


class BarrierHeld(Unavailable):
    """Somebody who writes did not finish in time. Nothing was done."""


def hold_shared(number: int, space: int = PERIODS, statements: Statements | None = None) -> None:
    """Wait for closing and settling, then keep them out until this transaction ends.

    Among ``statements`` only what is sent behind it waits.
    """
    _lock(statements or Statements(), "pg_advisory_xact_lock_shared", space, number)


def hold_exclusive(number: int, space: int = PERIODS, patience: float = PATIENCE_SECONDS) -> None:
    """Wait for all writers, then keep everybody out until this transaction ends: for short statements of SQL alone.

    One writer who is frozen must not hold up the others, who queue behind us: so we queue for a moment at a time,
    for ``patience`` seconds in all. Raises ``BarrierHeld``.
    """
    until = clock.monotonic() + patience
    while not _is_alone(number, space):
        if clock.monotonic() >= until:
            raise BarrierHeld("Somebody who writes here does not finish; try again.")
        time.sleep(REST_SECONDS)


def _is_alone(number: int, space: int) -> bool:
    try:
        with transaction.atomic():
            _limit_waiting(f"{QUEUED_MS}ms")
            _lock(Statements(), "pg_advisory_xact_lock", space, number)
            _limit_waiting("DEFAULT")
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != LOCK_NOT_AVAILABLE:
            raise
        return False
    return True


def _limit_waiting(limit: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = {limit if limit == 'DEFAULT' else repr(limit)}")


def _lock(statements: Statements, function: str, space: int, number: int) -> None:
    if not connection.in_atomic_block:
        raise RuntimeError("the barrier needs a transaction to live in")
    if connection.vendor == "postgresql":
        statements.execute(f"SELECT {function}(%s::int, %s::int)", [space, number % 2**31])
