"""The UTC day of each like, kept by SQL itself, and the index in whose order the likes of a day are counted.

PostgreSQL writes the table anew for the column, behind a lock that keeps likes waiting: a quarter of a minute for a million.
Afterwards it looks after new rows more often than it would by itself, since rows it has not looked at since they were
written are read one by one (docs/decisions/0036-most-liked-today-is-counted-from-rows.md).
"""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from likes.fields import UtcDay

LOOKED_AFTER = (
    "autovacuum_vacuum_insert_threshold = 50000, autovacuum_vacuum_insert_scale_factor = 0,"
    " autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0.02"
)
AS_BEFORE = ", ".join(setting.partition(" =")[0] for setting in LOOKED_AFTER.split(", "))


def look_after(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """After fifty thousand new rows, however many there are."""
    if editor.connection.vendor == "postgresql":
        editor.execute(f"ALTER TABLE likes_like SET ({LOOKED_AFTER})")


def as_before(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """As the server does by itself."""
    if editor.connection.vendor == "postgresql":
        editor.execute(f"ALTER TABLE likes_like RESET ({AS_BEFORE})")


class Migration(migrations.Migration):
    dependencies = [("likes", "0003_settled_as_boards_are")]

    operations = [
        migrations.AddField(
            "like",
            "day",
            models.GeneratedField(expression=UtcDay("at"), output_field=models.DateField(), db_persist=True),
        ),
        migrations.AddIndex(
            "like",
            models.Index(condition=models.Q(amount__gt=0), fields=["kind", "day", "thing"], name="like_of_day"),
        ),
        migrations.RunPython(look_after, as_before),
    ]
