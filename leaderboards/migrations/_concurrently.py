"""An index on a large table that may be written to while the index is made, on PostgreSQL; on SQLite as usual."""

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
        for name in _SETTINGS:
            schema_editor.execute(f"SET {name} = 0")
        try:
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.index.name)}")
            schema_editor.add_index(model, self.index, concurrently=True)
        finally:
            for name in _SETTINGS:
                schema_editor.execute(f"RESET {name}")
