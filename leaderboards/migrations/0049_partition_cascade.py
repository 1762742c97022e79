"""The release before may delete a period; PostgreSQL deletes the rows of its partitions, which only this one knows."""

from django.db import migrations

from leaderboards.migrations._postgresql import OnDelete


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0048_partitions")]

    operations = [OnDelete("leaderboards_partition", "period_id")]
