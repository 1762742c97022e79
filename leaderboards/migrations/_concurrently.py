"""An index on a large table that may be written to while the index is made or dropped, on PostgreSQL; on SQLite as
usual."""

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
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.index.name)}")
            schema_editor.add_index(model, self.index, concurrently=True)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop it."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        else:
            _drop(schema_editor, self.index.name)


class RemoveIndexBesideWriters(migrations.RemoveIndex):
    """For a migration that is not atomic."""

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop it."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        else:
            _drop(schema_editor, self.name)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it again."""
        index = to_state.models[app_label, self.model_name_lower].get_index_by_name(self.name)
        AddIndexBesideWriters(self.model_name, index).database_forwards(app_label, schema_editor, from_state, to_state)


def _drop(schema_editor: Any, name: str) -> None:
    with _without_time_limits(schema_editor):
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(name)}")


@contextmanager
def _without_time_limits(schema_editor: Any) -> Iterator[None]:
    for name in _SETTINGS:
        schema_editor.execute(f"SET {name} = 0")
    try:
        yield
    finally:
        for name in _SETTINGS:
            schema_editor.execute(f"RESET {name}")
