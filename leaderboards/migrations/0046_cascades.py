"""The release before may delete what rows of this release's new tables refer to: PostgreSQL deletes those rows."""

from django.db import migrations

from leaderboards.migrations._postgresql import OnDelete


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0045_name_change_trigger")]

    operations = [
        OnDelete("leaderboards_follow", "user_id"),
        OnDelete("leaderboards_follow", "player_id"),
        OnDelete("leaderboards_periodhistogram", "period_id"),
        OnDelete("leaderboards_playerpicture", "player_id"),
    ]
