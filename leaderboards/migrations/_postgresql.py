"""Statements for PostgreSQL alone; on SQLite nothing happens."""

from typing import Any

from django.db import migrations


class RunPostgreSQL(migrations.RunSQL):
    """Run statements on PostgreSQL."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Run them."""
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Run those that undo them."""
        if schema_editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)


_KEY = (
    "ALTER TABLE {table} DROP CONSTRAINT %I, ADD CONSTRAINT %I FOREIGN KEY ({column}) REFERENCES %s"
    " ON DELETE {then} DEFERRABLE INITIALLY DEFERRED NOT VALID"
)
_ON_DELETE = f"""
DO $$
DECLARE key record;
BEGIN
    SELECT conname AS name, confrelid::regclass AS referred INTO STRICT key FROM pg_constraint
    WHERE contype = 'f' AND conrelid = '{{table}}'::regclass AND conkey = ARRAY[
        (SELECT attnum FROM pg_attribute WHERE attrelid = '{{table}}'::regclass AND attname = '{{column}}')];
    EXECUTE format('{_KEY}', key.name, key.name, key.referred);
    EXECUTE format('ALTER TABLE {{table}} VALIDATE CONSTRAINT %I', key.name);
END $$
"""


class OnDelete(RunPostgreSQL):
    """Have PostgreSQL delete rows of a new table (or set ``column`` to NULL) with the row that ``column`` refers to.

    Django does that itself, but a release that does not know the table could not delete the row any more. The table is
    empty, so no lock is held for long; in a migration that is not atomic each key is a transaction of its own.
    """

    def __init__(self, table: str, column: str, then: str = "CASCADE") -> None:
        self.args = {"table": table, "column": column, "then": then}
        super().__init__(_ON_DELETE.format(**self.args), migrations.RunSQL.noop)

    def deconstruct(self) -> tuple[str, list[str], dict[str, str]]:
        """Return what a migration file says."""
        return type(self).__name__, [], self.args
