"""The barrier: a lock that writers and the mirror of a row hold shared, and changes of its rules or state exclusively.

A barrier is a number in a lock space; each table has its own space.

On PostgreSQL it is an advisory lock of the transaction, taken in its own statement: under READ COMMITTED the next
statement then sees everything that was committed before the lock was granted. On SQLite every transaction begins
IMMEDIATE, which is the barrier.
"""

import time

from django.db import OperationalError, connection, transaction

from foundation import clock
from foundation.db.pipeline import StatementRunner
from foundation.db.resilience import SqlBusy, is_busy
from foundation.sunwi_settings import sunwi_settings

PERIODS = 0x53_75_6E  # lock spaces, the first of a lock's two numbers: far from other users of advisory locks
LIKES = PERIODS + 1
NUMBERS = PERIODS + 2
MAX_WAIT_SECONDS = 10.0
LOCK_TIMEOUT_MS = 250  # short, since later shared requests queue behind a waiting exclusive one
RETRY_PAUSE_SECONDS = 0.05


def hold_shared(number: int, space: int = PERIODS, statements: StatementRunner | None = None) -> None:
    """Take the barrier in shared mode until this transaction ends. Raises ``SqlBusy``.

    In a pipeline of ``statements`` only later statements wait for it, and its error is raised by them.
    """
    _lock(statements or StatementRunner(), "pg_advisory_xact_lock_shared", space, number)


def hold_exclusive(number: int, space: int = PERIODS, max_wait: float = MAX_WAIT_SECONDS) -> None:
    """Take the barrier exclusively until this transaction ends. Raises ``SqlBusy`` after ``max_wait`` seconds.

    Run only short SQL statements under it. It queues for ``LOCK_TIMEOUT_MS`` at a time, so that a frozen writer does
    not also block the writers behind us. PostgreSQL ends our session if it idles for ``SQL_ALONE_SECONDS``.
    """
    deadline = clock.monotonic() + max_wait
    while True:
        try:
            return _try_exclusively(number, space)
        except SqlBusy:
            if clock.monotonic() >= deadline:
                raise
        time.sleep(RETRY_PAUSE_SECONDS)


def _try_exclusively(number: int, space: int) -> None:
    """Wait ``LOCK_TIMEOUT_MS`` for the lock. Raises ``SqlBusy``; the surrounding transaction stays usable."""
    with transaction.atomic():
        _set_local("lock_timeout", f"'{LOCK_TIMEOUT_MS}ms'")
        _lock(StatementRunner(), "pg_advisory_xact_lock", space, number)
        _set_local("lock_timeout", "DEFAULT")
        if sunwi_settings.SQL_ALONE_SECONDS:
            _set_local("idle_in_transaction_session_timeout", f"'{round(1000 * sunwi_settings.SQL_ALONE_SECONDS)}ms'")


def _set_local(name: str, value: str) -> None:
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
