"""An index on a large table that may be written to while the index is made or dropped, on PostgreSQL; on SQLite as
usual.

Of a divided table (``_divided.py``) each part gets its index beside its writers, and the parent's takes them up.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import migrations

_SETTINGS = ("statement_timeout", "lock_timeout")  # it takes its time, and while it waits nobody waits for it


class AddIndexBesideWriters(migrations.AddIndex):
    """For a migration that is not atomic. What a try that was ended left behind is made anew."""

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if not self.allow_migrate_model(schema_editor.connection.alias, model):
            return
        with _without_time_limits(schema_editor):
            if parts := _parts_of(schema_editor, model._meta.db_table):
                _add_to_parts(schema_editor, model, self.index, parts)
                return
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.index.name)}")
            schema_editor.add_index(model, self.index, concurrently=True)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop it."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        else:
            _drop(schema_editor, self.index.name, to_state.apps.get_model(app_label, self.model_name)._meta.db_table)


class RemoveIndexBesideWriters(migrations.RemoveIndex):
    """For a migration that is not atomic."""

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop it."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        else:
            _drop(schema_editor, self.name, to_state.apps.get_model(app_label, self.model_name)._meta.db_table)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it again."""
        index = to_state.models[app_label, self.model_name_lower].get_index_by_name(self.name)
        AddIndexBesideWriters(self.model_name, index).database_forwards(app_label, schema_editor, from_state, to_state)


def _drop(schema_editor: Any, name: str, table: str) -> None:
    if _parts_of(schema_editor, table):  # PostgreSQL drops it at once, or not at all: some milliseconds
        schema_editor.execute(f"DROP INDEX IF EXISTS {schema_editor.quote_name(name)}")
        return
    with _without_time_limits(schema_editor):
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(name)}")


def _parts_of(schema_editor: Any, table: str) -> list[str]:
    """The parts of a divided table; empty for others."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
            " WHERE i.inhparent = to_regclass(%s) ORDER BY c.relname",
            [table],
        )
        return [name for (name,) in cursor.fetchall()]


def _add_to_parts(schema_editor: Any, model: Any, index: Any, parts: list[str]) -> None:
    """Make the parent's index, which a part that is made from now on gets too, and then each part's beside writers.

    The parent's is valid once the last part has its own. What an earlier try has finished is kept.
    """
    quote = schema_editor.quote_name
    whole = str(index.create_sql(model, schema_editor))
    on_parent = whole.replace("INDEX ", "INDEX IF NOT EXISTS ", 1).replace(" ON ", " ON ONLY ", 1)
    schema_editor.execute(on_parent, None)
    for part in parts:
        name = f"{index.name}_{part.rpartition('_')[2]}"
        if _is_attached(schema_editor, index.name, part):
            continue
        beside = whole.replace("INDEX ", "INDEX CONCURRENTLY ", 1).replace(quote(index.name), quote(name), 1)
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {quote(name)}")
        schema_editor.execute(beside.replace(quote(model._meta.db_table), quote(part), 1), None)
        schema_editor.execute(f"ALTER INDEX {quote(index.name)} ATTACH PARTITION {quote(name)}")


def _is_attached(schema_editor: Any, index: str, part: str) -> bool:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_inherits h JOIN pg_index i ON i.indexrelid = h.inhrelid"
            " WHERE h.inhparent = to_regclass(%s) AND i.indrelid = to_regclass(%s))",
            [index, part],
        )
        return bool(cursor.fetchone()[0])


@contextmanager
def _without_time_limits(schema_editor: Any) -> Iterator[None]:
    for name in _SETTINGS:
        schema_editor.execute(f"SET {name} = 0")
    try:
        yield
    finally:
        for name in _SETTINGS:
            schema_editor.execute(f"RESET {name}")
