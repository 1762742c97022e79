"""An index for a board's periods, the newest first: lists of them are read in pages, and from page to page."""

from django.db import migrations, models

from leaderboards.migrations._concurrently import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0034_schedules")]

    operations = [
        AddIndexBesideWriters(
            "period", models.Index(fields=["board", "-starts_at", "-label"], name="period_newest")
        ),
    ]
