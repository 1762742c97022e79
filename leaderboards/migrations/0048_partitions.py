"""Partitions of periods: how many a board and a period has, and a table of those of divided periods."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0047_dynamodb")]

    operations = [
        migrations.AddField(
            "board",
            "partitions",
            models.PositiveSmallIntegerField(
                choices=[(1, "1"), (4, "4"), (16, "16"), (64, "64"), (256, "256")],
                db_default=1,
                default=1,
                verbose_name="partitions",
            ),
        ),
        migrations.AddField(
            "period",
            "partitions",
            models.PositiveSmallIntegerField(db_default=1, default=1, verbose_name="partitions"),
        ),
        migrations.CreateModel(
            "Partition",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("generation", models.BigIntegerField(default=0)),
                ("stale_since", models.DateTimeField(null=True)),
                ("needs_full_rebuild", models.BooleanField(default=False)),
                ("lease_expires_at", models.DateTimeField(null=True)),
                ("emptied_generation", models.BigIntegerField(default=0)),
                ("rebuild_progress", models.BigIntegerField(default=0)),
                ("verified_at", models.DateTimeField(null=True)),
                ("verify_cursor", models.CharField(blank=True, max_length=40)),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "period",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="partition_rows",
                        to="leaderboards.period",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["period", "number"], name="partition_unique")],
                "indexes": [
                    models.Index(
                        condition=Q(stale_since__isnull=False), fields=["stale_since"], name="partition_stale"
                    ),
                ],
            },
        ),
    ]
