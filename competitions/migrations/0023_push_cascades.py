"""The release before may delete what rows of this release's new tables refer to: PostgreSQL deletes those rows."""

from django.db import migrations

from leaderboards.migrations._postgresql import OnDelete


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("competitions", "0022_push"), ("leaderboards", "0046_cascades")]

    operations = [
        OnDelete("competitions_pushsubscription", "player_id"),
        OnDelete("competitions_pushmessage", "notice_id"),
        OnDelete("competitions_pushmessage", "subscription_id"),
    ]
