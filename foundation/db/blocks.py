"""Read the parts of a page independently: a part that fails shows an error in its place.

All parts of a page share a budget of SQL time. On PostgreSQL the rest of the budget is the timeout of each statement;
once the budget is used up, no further statement runs.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import DatabaseError, connection, transaction
from django.utils.translation import gettext as _

from foundation import clock
from foundation.errors import Unavailable

logger = logging.getLogger(__name__)

SQL_MILLISECONDS = 300
MIN_MILLISECONDS = 20

Value = TypeVar("Value")


class BudgetSpent(Exception):
    """The SQL budget of the page is used up."""


@dataclass(frozen=True, slots=True)
class Block(Generic[Value]):
    """The value of a part, or why it could not be read."""

    value: Value | None
    failed: str = ""


class Budget:
    """The time that SQL may take for all parts of a page."""

    def __init__(self, milliseconds: float = SQL_MILLISECONDS) -> None:
        self._left = milliseconds / 1000
        self.statements = 0

    def read(self, what: str, part: Callable[[], Value]) -> Block[Value]:
        """Call ``part`` within the budget. ``what`` names it in the log."""
        try:
            with self._within():
                return Block(part())
        except BudgetSpent:
            return Block(None, _("SQL took too long for this part. Load the page again."))
        except Unavailable as error:
            logger.info("%s cannot be read for a page of the admin: %s", what, error.detail)
            return Block(None, _("This part cannot be read now: a server does not answer."))
        except DatabaseError as error:
            logger.info("%s cannot be read for a page of the admin: %s", what, error)
            return Block(None, _("SQL took too long for this part. Load the page again."))
        except Exception:
            logger.exception("%s cannot be read for a page of the admin", what)
            return Block(None, _("This part cannot be read now. The log says why."))

    @contextmanager
    def _within(self) -> Iterator[None]:
        """Limit SQL to the rest of the budget. SQLite has no timeout, and a transaction there would block writers."""
        if connection.vendor != "postgresql":
            with connection.execute_wrapper(self._timed):
                yield
            return
        is_nested = connection.in_atomic_block
        with transaction.atomic():
            with connection.cursor() as cursor:
                timeout = max(MIN_MILLISECONDS, round(1000 * self._left))
                cursor.execute("SET LOCAL statement_timeout = %s", [f"{timeout}ms"])
            with connection.execute_wrapper(self._timed):
                yield
            if is_nested:
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL statement_timeout = DEFAULT")

    def _timed(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self._left <= 0:
            raise BudgetSpent
        started_at = clock.monotonic()
        self.statements += 1
        try:
            return execute(sql, params, many, context)
        finally:
            self._left -= clock.monotonic() - started_at
