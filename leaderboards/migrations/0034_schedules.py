"""Boards whose windows start by a cron expression. Each column has a default in SQL: an older release inserts without."""

from django.db import migrations, models

PERIODS = ["day", "week", "month", "year", "all_time", "event", "schedule"]


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0033_plain_choices")]

    operations = [
        migrations.AddField(
            "board",
            "schedule",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="A cron expression: minute, hour, day of month, month, day of week.",
                max_length=100,
                verbose_name="schedule",
            ),
        ),
        migrations.AddField(
            "board",
            "open_minutes",
            models.PositiveIntegerField(blank=True, null=True, verbose_name="open, minutes"),
        ),
        migrations.AddField(
            "board",
            "past_schedules",
            models.JSONField(db_default=models.Value([], models.JSONField()), default=list, editable=False),
        ),
        migrations.AlterField(
            "board",
            "period",
            models.CharField(
                choices=[(each, each) for each in PERIODS], default="week", max_length=10, verbose_name="period"
            ),
        ),
    ]
