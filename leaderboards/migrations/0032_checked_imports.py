"""Rows of an import are checked. The columns keep their names, which processes of the release before read."""

from typing import Any

from django.db import migrations, models

_NEW_NAMES: "list[tuple[str, str, str, models.Field[Any, Any]]]" = [
    ("importrun", "judged", "checked", models.PositiveIntegerField(db_column="judged", default=0)),
    ("importrun", "judgings", "checks", models.PositiveIntegerField(db_column="judgings", db_default=0, default=0)),
    ("importrun", "judged_at", "checked_at", models.DateTimeField(db_column="judged_at", null=True)),
    ("importchunk", "judged_at", "checked_at", models.DateTimeField(db_column="judged_at", null=True)),
]


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0031_ranks_of_the_shadowed")]

    operations = [
        operation
        for model, old, new, field in _NEW_NAMES
        for operation in (migrations.AlterField(model, old, field), migrations.RenameField(model, old, new))
    ]
