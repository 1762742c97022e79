"""A table of histograms of running periods with many players: one row for a period, replaced each minute."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0038_player_country")]

    operations = [
        migrations.CreateModel(
            "PeriodHistogram",
            [
                (
                    "period",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="histogram",
                        serialize=False,
                        to="leaderboards.period",
                    ),
                ),
                ("tried_at", models.DateTimeField()),
                ("took_ms", models.BigIntegerField()),
                ("taken_at", models.DateTimeField(null=True)),
                ("content", models.BinaryField()),
            ],
            options={"indexes": [models.Index(fields=["taken_at"], name="period_histogram_taken")]},
        ),
    ]
