"""The barrier: who decides over a row, or mirrors it, holds it shared; who changes what that rests on holds it alone.

A barrier is a number, in a space that keeps the rows of one table apart from others'.

On PostgreSQL a transaction's advisory lock, taken in a statement of its own: what the next statement
reads was committed before the barrier opened (READ COMMITTED). On SQLite every transaction
begins IMMEDIATE, which is the barrier.
"""

import time

from django.conf import settings
from django.db import OperationalError, connection, transaction

from foundation import clock
from foundation.db.pipeline import StatementRunner
from foundation.db.resilience import SqlBusy, is_busy

PERIODS = 0x53_75_6E  # spaces are the first of a lock's two numbers: far from other users of advisory locks
LIKES = PERIODS + 1
NUMBERS = PERIODS + 2
MAX_WAIT_SECONDS = 10.0
LOCK_TIMEOUT_MS = 250  # since one who waits to be alone holds up all who come after
RETRY_PAUSE_SECONDS = 0.05


def hold_shared(number: int, space: int = PERIODS, statements: StatementRunner | None = None) -> None:
    """Wait for the one who holds it alone, then keep others out until this transaction ends. Raises ``SqlBusy``.

    Among ``statements`` only what is sent behind it waits, and what it was refused for is raised there.
    """
    _lock(statements or StatementRunner(), "pg_advisory_xact_lock_shared", space, number)


def hold_exclusive(number: int, space: int = PERIODS, max_wait: float = MAX_WAIT_SECONDS) -> None:
    """Wait for all writers, then keep everybody out until this transaction ends: for short statements of SQL alone.

    One writer who is frozen must not hold up the others, who queue behind us: so we queue for a moment at a time,
    for ``max_wait`` seconds in all. Nor must we: PostgreSQL ends us if we rest for long. Raises ``SqlBusy``.
    """
    until = clock.monotonic() + max_wait
    while True:
        try:
            return _queue(number, space)
        except SqlBusy:
            if clock.monotonic() >= until:
                raise
        time.sleep(RETRY_PAUSE_SECONDS)


def _queue(number: int, space: int) -> None:
    """Wait for a moment. Raises ``SqlBusy``; the transaction around stays as it was."""
    with transaction.atomic():
        _limit("lock_timeout", f"'{LOCK_TIMEOUT_MS}ms'")
        _lock(StatementRunner(), "pg_advisory_xact_lock", space, number)
        _limit("lock_timeout", "DEFAULT")
        if settings.SQL_ALONE_SECONDS:
            _limit("idle_in_transaction_session_timeout", f"'{round(1000 * settings.SQL_ALONE_SECONDS)}ms'")


def _limit(name: str, value: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL {name} = {value}")


def _lock(statements: StatementRunner, function: str, space: int, number: int) -> None:
    if not connection.in_atomic_block:
        raise RuntimeError("the barrier needs a transaction to live in")
    if connection.vendor != "postgresql":
        return
    try:
        statements.execute(f"SELECT {function}(%s::int, %s::int)", [space, number % 2**31])
    except OperationalError as error:
        if is_busy(error):
            raise SqlBusy("Somebody else is at it; try again in a moment.") from error
        raise
