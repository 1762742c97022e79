"""Score ranges of divided periods: a board's setting, and a table of where each period is cut."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0054_divided")]

    operations = [
        migrations.AddField(
            "board",
            "score_ranges",
            models.BooleanField(db_default=False, default=False, verbose_name="score ranges"),
        ),
        migrations.CreateModel(
            "ScoreRanges",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("epoch", models.BigIntegerField(default=0)),
                ("slot", models.PositiveSmallIntegerField(default=0)),
                ("cuts", models.JSONField(default=list)),
                ("generations", models.BigIntegerField(default=0)),
                ("next_epoch", models.BigIntegerField(default=0)),
                ("next_cuts", models.JSONField(default=list)),
                ("fill_partition", models.PositiveSmallIntegerField(null=True)),
                ("fill_cursor", models.CharField(default="0", max_length=40)),
                ("fence", models.BigIntegerField(default=0)),
                ("lease_expires_at", models.DateTimeField(null=True)),
                ("cut_at", models.DateTimeField(null=True)),
                ("compared_at", models.DateTimeField(null=True)),
                ("followed_at", models.DateTimeField(null=True)),
                (
                    "period",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="score_ranges",
                        to="leaderboards.period",
                    ),
                ),
            ],
        ),
    ]
