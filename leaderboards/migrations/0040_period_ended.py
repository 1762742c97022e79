"""A board's latest periods are found by an index: a player's page reads a hundred of each of their boards."""

from django.db import migrations, models

from leaderboards.migrations._concurrently import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0039_period_histogram")]

    operations = [
        AddIndexBesideWriters("period", models.Index(fields=["board", "-ends_at"], name="period_ended")),
    ]
