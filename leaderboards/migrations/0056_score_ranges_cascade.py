"""The release before may delete a period; PostgreSQL deletes the row of its score ranges, which only this one knows."""

from django.db import migrations

from leaderboards.migrations._postgresql import OnDelete


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0055_score_ranges")]

    operations = [OnDelete("leaderboards_scoreranges", "period_id")]
