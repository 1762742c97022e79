"""The release before may delete what rows of this release's new tables refer to: PostgreSQL deletes those rows."""

from django.db import migrations

from leaderboards.migrations._postgresql import OnDelete


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("competitions", "0020_reports_and_copies"), ("leaderboards", "0046_cascades")]

    operations = [
        OnDelete("competitions_startreminder", "competition_id"),
        OnDelete("competitions_startreminder", "player_id"),
        OnDelete("competitions_commentreport", "comment_id"),
        OnDelete("competitions_commentreport", "player_id"),
        OnDelete("competitions_commentreport", "settled_by_id", "SET NULL"),
    ]
