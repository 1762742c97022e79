"""What SQL computes for itself in columns of likes."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateField, Func
from django.db.models.sql.compiler import SQLCompiler

_Sql = tuple[str, tuple[str | int, ...]]


class UtcDay(Func):
    """The UTC day of an instant, as a date, in words that a generated column may hold: of no session's time zone."""

    output_field = DateField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: Any) -> _Sql:
        """The instant on the clock of UTC, without its time."""
        return super().as_sql(compiler, connection, template="((%(expressions)s AT TIME ZONE 'UTC')::date)", **more)

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: Any) -> _Sql:
        """The first ten letters of the text that an instant is kept as, which is in UTC."""
        return super().as_sql(compiler, connection, template="substr(%(expressions)s, 1, 10)", **more)
