"""A row that somebody else has locked, on PostgreSQL: a connection of its own holds it for as long as a block lasts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

only_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks the whole database")


@contextmanager
def locked(rows: QuerySet[Any, Any], patience_ms: int = 50, strength: str = "UPDATE") -> Iterator[None]:
    """Lock the rows. Whoever waits for them on this thread's connection gives up after ``patience_ms``.

    With the ``strength`` "NO KEY UPDATE", as one who changes no key, rows that refer to them can still be written.
    """
    statement, params = rows.query.sql_with_params()
    other = connection.copy()
    try:
        with other.cursor() as holds, connection.cursor() as own:
            own.execute(f"SET lock_timeout = {patience_ms}")
            holds.execute("BEGIN")
            holds.execute(f"{statement} FOR {strength}", params)
            assert holds.fetchall()
            yield
    finally:
        other.close()
        with connection.cursor() as own:
            own.execute("RESET lock_timeout")


@contextmanager
def making(player: str) -> Iterator[None]:
    """Somebody else makes this player, and has not committed yet; then they roll it back."""
    other = connection.copy()
    try:
        with other.cursor() as makes:
            makes.execute("BEGIN")
            makes.execute(
                "INSERT INTO leaderboards_player (external_id, name, avatar_url, country, created_at)"
                " VALUES (%s, '', '', '', now())",
                [player],
            )
            yield
    finally:
        other.close()
