"""Looks at running periods: who stood where at a moment."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0006_names")]

    operations = [
        migrations.CreateModel(
            name="PeriodSnapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("due_at", models.DateTimeField()),
                ("taken_at", models.DateTimeField()),
                ("total", models.BigIntegerField()),
                ("is_whole", models.BooleanField()),
                (
                    "period",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="snapshots",
                        to="leaderboards.period",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("period", "due_at"), name="period_snapshot_unique"),
                ],
            },
        ),
        migrations.CreateModel(
            name="KeptRank",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "snapshot_id", "player_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("rank", models.BigIntegerField()),
                ("points", models.BigIntegerField(null=True)),
                ("fields", models.JSONField(null=True)),
                (
                    "snapshot",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ranks",
                        to="leaderboards.periodsnapshot",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="kept_ranks",
                        to="leaderboards.player",
                    ),
                ),
            ],
        ),
    ]
