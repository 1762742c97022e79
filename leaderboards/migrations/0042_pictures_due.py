"""Players whose picture is to be fetched are found by an index."""

from django.db import migrations, models

from leaderboards.migrations._concurrently import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0041_player_pictures")]

    operations = [
        AddIndexBesideWriters(
            "player",
            models.Index(
                condition=models.Q(("picture_from", models.F("avatar_url")), _negated=True),
                fields=["id"],
                name="player_picture_due",
            ),
        ),
    ]
