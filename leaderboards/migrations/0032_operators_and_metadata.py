"""Operators and metadata of submissions. The columns are empty at first, so no row is written."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0031_checked_imports")]

    operations = [
        # An older release inserts boards without this column.
        migrations.AddField("board", "operators", models.JSONField("operators", blank=True, db_default=[], default=list)),
        *(
            migrations.AddField(model, "operator", models.CharField("operator", max_length=9, null=True))
            for model in ("submission", "quarantinedentry")
        ),
        *(
            migrations.AddField(model, "metadata", models.TextField("metadata", null=True))
            for model in ("submission", "quarantinedentry", "standing")
        ),
    ]
