"""Pipelined SQL: statements are sent without waiting for the answers of earlier ones.

PostgreSQL prepares each statement once for each connection, and works while Python continues. On SQLite each
statement is answered at once. The trap: results and errors are known only after the block, or after ``wait``.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import connection

if TYPE_CHECKING:
    import psycopg


class StatementRunner:
    """Sends statements; a statement's cursor has its result at the end of the block. This one does not pipeline."""

    def execute(self, sql: str, params: Sequence[Any]) -> Any:
        """Send a statement and return its cursor."""
        cursor = connection.cursor()
        cursor.execute(sql, params)
        return cursor

    def wait(self) -> None:
        """Wait until all statements sent so far are answered. Raises the error of a failed one."""

    def mark_idle(self) -> None:
        """Send a Sync without waiting for answers, before the caller does something else than SQL.

        Without it PostgreSQL waits for the rest of the pipeline, and ``idle_in_transaction_session_timeout`` does not
        apply.
        """

    def commit(self) -> None:
        """Commit in the same pipeline if that saves a round trip; otherwise ``atomic`` commits.

        Call it last. If a statement failed, nothing is committed; if no answer comes, the outcome is unknown.
        """


class _PipelinedRunner(StatementRunner):
    def __init__(self, pipeline: "psycopg.Pipeline", cursor_class: "type[psycopg.Cursor[Any]]") -> None:
        self._pipeline, self._cursor_class = pipeline, cursor_class

    def execute(self, sql: str, params: Sequence[Any]) -> Any:
        cursor = self._cursor_class(connection.connection)
        cursor.execute(sql, params, prepare=True)
        return cursor

    def wait(self) -> None:
        self._pipeline.sync()

    def mark_idle(self) -> None:
        pending = self._pipeline.result_queue
        if not pending or pending[-1] is not None:  # None is a Sync: nothing has been sent since
            pending.append(None)
            self._pipeline.pgconn.pipeline_sync()  # returns at once; psycopg's `sync` waits for all answers

    def commit(self) -> None:
        if len(connection.atomic_blocks) == 1:  # in a nested block the outer one commits
            self.execute("COMMIT", ())


@contextmanager
def pipelined() -> Iterator[StatementRunner]:
    """A block whose statements are pipelined in the open transaction. Raises the error of a failed statement."""
    if connection.vendor != "postgresql":
        yield StatementRunner()
        return
    from psycopg import Cursor  # here, since processes on SQLite start in less time without it

    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline() as pipeline:
        yield _PipelinedRunner(pipeline, Cursor)
