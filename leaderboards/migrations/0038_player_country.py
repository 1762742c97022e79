"""Find the players of a country, of whom few of a million have one."""

from django.db import migrations, models
from django.db.models import Q

from leaderboards.migrations._concurrently import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0037_follow")]

    operations = [
        AddIndexBesideWriters(
            "player", models.Index(fields=["country", "id"], condition=~Q(country=""), name="player_country")
        ),
    ]
