"""Statements sent one behind the other, none of them waiting for the answer of the one before.

PostgreSQL prepares each once a connection, and is at work while Python goes on; on SQLite each is answered at once.
The trap: what a statement found, or was refused for, is known after the block, or after ``wait``.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection


class StatementRunner:
    """Sends statements; the cursor of each has its answer when the block is over."""

    def execute(self, sql: str, params: Sequence[Any]) -> Any:
        """Send one; its cursor."""
        cursor = connection.cursor()
        cursor.execute(sql, params)
        return cursor

    def wait(self) -> None:
        """Until everything sent so far is answered. Raises what it was refused for."""

    def mark_idle(self) -> None:
        """Say that nothing is under way: the caller turns to something else, and SQL ends who rests for too long.

        Without it PostgreSQL waits for more of the same, and no limit of its own ends that. Nobody waits for answers.
        """

    def commit(self) -> None:
        """End the transaction with the statements before, where that saves a round trip; else its ``atomic`` does.

        Call it last. Where one of them was refused nothing is kept; without an answer nobody knows.
        """


class _Pipelined(StatementRunner):
    def __init__(self, pipeline: psycopg.Pipeline) -> None:
        self._pipeline = pipeline

    def execute(self, sql: str, params: Sequence[Any]) -> Any:
        cursor = psycopg.Cursor(connection.connection)
        cursor.execute(sql, params, prepare=True)
        return cursor

    def wait(self) -> None:
        self._pipeline.sync()

    def mark_idle(self) -> None:
        waited_for = self._pipeline.result_queue
        if not waited_for or waited_for[-1] is not None:  # None is a Sync: nothing has been sent since
            waited_for.append(None)
            self._pipeline.pgconn.pipeline_sync()  # at once; psycopg's own `sync` also waits for all answers

    def commit(self) -> None:
        if len(connection.atomic_blocks) == 1:  # else somebody around has not finished
            self.execute("COMMIT", ())


@contextmanager
def pipelined() -> Iterator[StatementRunner]:
    """A block of statements in the transaction that is open. Raises what any of them was refused for."""
    if connection.vendor != "postgresql":
        yield StatementRunner()
        return
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline() as pipeline:
        yield _Pipelined(pipeline)
