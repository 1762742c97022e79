"""Parts of a page that are read each by itself: one that fails says so in its place, and the page comes all the same.

All parts of a page share a budget of time in SQL: each statement ends by what is left of it, on PostgreSQL, and a part
that comes when all is spent is not asked.
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
LEAST_MILLISECONDS = 20

Value = TypeVar("Value")


class Spent(Exception):
    """The page's time in SQL is used up."""


@dataclass(frozen=True, slots=True)
class Block(Generic[Value]):
    """What was read, or why it could not be."""

    value: Value | None
    failed: str = ""


class Budget:
    """How long SQL may take for a page, over all its parts."""

    def __init__(self, milliseconds: float = SQL_MILLISECONDS) -> None:
        self._left = milliseconds / 1000
        self.statements = 0

    def read(self, what: str, part: Callable[[], Value]) -> Block[Value]:
        """What ``part`` answers. ``what`` names it in the log."""
        try:
            with self._within():
                return Block(part())
        except Spent:
            return Block(None, _("SQL took too long for this part. Load the page again."))
        except Unavailable as error:
            logger.info("%s cannot be read for the console: %s", what, error.detail)
            return Block(None, _("This part cannot be read now: a server is away."))
        except DatabaseError as error:
            logger.info("%s cannot be read for the console: %s", what, error)
            return Block(None, _("SQL took too long for this part. Load the page again."))
        except Exception:
            logger.exception("%s cannot be read for the console", what)
            return Block(None, _("This part cannot be read now. The log says why."))

    @contextmanager
    def _within(self) -> Iterator[None]:
        """The trap: on SQLite a transaction would keep writers out, and there is no limit of time to set in it."""
        if connection.vendor != "postgresql":
            with connection.execute_wrapper(self._timed):
                yield
            return
        is_nested = connection.in_atomic_block
        with transaction.atomic():
            with connection.cursor() as cursor:
                longest = max(LEAST_MILLISECONDS, round(1000 * self._left))
                cursor.execute("SET LOCAL statement_timeout = %s", [f"{longest}ms"])
            with connection.execute_wrapper(self._timed):
                yield
            if is_nested:
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL statement_timeout = DEFAULT")

    def _timed(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self._left <= 0:
            raise Spent
        begun = clock.monotonic()
        self.statements += 1
        try:
            return execute(sql, params, many, context)
        finally:
            self._left -= clock.monotonic() - begun
