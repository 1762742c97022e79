"""SQL functions for generated columns."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateField, Func
from django.db.models.sql.compiler import SQLCompiler

_Sql = tuple[str, tuple[str | int, ...]]


class UtcDay(Func):
    """The UTC date of a time. It does not depend on the session's time zone, so a generated column may use it."""

    output_field = DateField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: Any) -> _Sql:
        """Convert to UTC and drop the time."""
        return super().as_sql(compiler, connection, template="((%(expressions)s AT TIME ZONE 'UTC')::date)", **more)

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: Any) -> _Sql:
        """Take the first ten characters of the text that SQLite stores, which is in UTC."""
        return super().as_sql(compiler, connection, template="substr(%(expressions)s, 1, 10)", **more)
