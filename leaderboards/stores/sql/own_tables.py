"""Tables of a period's own: making, emptying and dropping them, and finding those that are left over. PostgreSQL only.

The functions in SQL that do it wait for a lock for 50 ms at most, since whoever comes after them waits behind them
(``leaderboards/migrations/_divided.py``). Making takes no lock that a writer or a reader of scores would wait for;
emptying locks the period's own tables, dropping the divided tables as a whole.
"""

import logging

from django.db import DatabaseError, connection, transaction

from foundation.db.resilience import SqlBusy, is_busy
from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.period_numbers import FIRST_OWN, has_own_tables

logger = logging.getLogger(__name__)

TRIES = 3
PARENT = "leaderboards_standing"
SHARED = "leaderboards_standing_rest"
_NUMBERS = (
    "SELECT substring(c.relname FROM '[0-9]+$')::bigint AS number FROM pg_inherits i"
    " JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = %s::regclass AND c.relname ~ '_[0-9]+$'"
)


def are_supported() -> bool:
    """Whether this database has them."""
    return connection.vendor == "postgresql"


def standings_table(period: int) -> str:
    """The table to name in a hot statement about the standings of one period.

    Of a period without tables of its own it is the part itself: a row that PostgreSQL routes costs a third more.
    """
    return PARENT if has_own_tables(period) or not are_supported() else SHARED


def make_own_tables() -> int | None:
    """Make the tables of a new period in the open transaction; returns the period's number.

    None if SQL refuses: another change of tables lasts, the tablespace is missing, the disk is full. It is logged, and
    the transaction stays usable. Raises ``OperationalError`` if SQL is away.
    """
    for tries in range(TRIES, 0, -1):
        try:
            return _make()
        except DatabaseError as error:
            if getattr(error.__cause__, "sqlstate", None) is None:
                raise
            if tries == 1 or not is_busy(error):
                logger.error("a period gets no tables of its own: %s", str(error).strip())  # noqa: TRY400 - no bug of ours
                return None
    return None


def _make() -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT leaderboards_make_own_tables(%s)", [sunwi_settings.OWN_TABLES_TABLESPACE])
        (number,) = cursor.fetchone()
        return int(number)


def empty_own_tables(number: int) -> None:
    """Empty the tables of a period at once, in the open transaction. Raises ``SqlBusy``."""
    _call("leaderboards_empty_own_tables", number)


def drop_own_tables(number: int) -> None:
    """Drop the tables of a period that is gone. Raises ``SqlBusy``, or ``DatabaseError`` if the period still exists."""
    with transaction.atomic():
        _call("leaderboards_drop_own_tables", number)


def _call(function: str, number: int) -> None:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}(%s)", [number])
    except DatabaseError as error:
        if is_busy(error):
            raise SqlBusy("Somebody uses these tables; try again in a moment.") from error
        raise


def tables_without_period() -> list[int]:
    """The numbers of periods that are gone, and whose tables are not."""
    if not are_supported():
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT number FROM ({_NUMBERS}) made WHERE NOT EXISTS"
            " (SELECT FROM leaderboards_period p WHERE p.id = number) ORDER BY number",
            [PARENT],
        )
        return [number for (number,) in cursor.fetchall()]


def periods_without_tables() -> list[int]:
    """The numbers of periods that should have tables of their own, and have none: nothing can be written to them."""
    if not are_supported():
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM leaderboards_period WHERE id >= %s AND id NOT IN"
            f" (SELECT number FROM ({_NUMBERS}) made) ORDER BY id",
            [FIRST_OWN, PARENT],
        )
        return [number for (number,) in cursor.fetchall()]
