"""Players whose picture is to be fetched are found by an index, and a changed picture is told as a changed name is."""

from django.db import migrations, models

from leaderboards.migrations._concurrently import AddIndexBesideWriters
from leaderboards.migrations._postgresql import RunPostgreSQL

_TRIGGER = """
CREATE TRIGGER leaderboards_player_pictured AFTER UPDATE OF picture, picture_from, avatar_url ON leaderboards_player
FOR EACH ROW WHEN (
    (OLD.picture <> '' OR NEW.picture <> '')
    AND (OLD.picture, OLD.picture_from, OLD.avatar_url)
        IS DISTINCT FROM (NEW.picture, NEW.picture_from, NEW.avatar_url)
)
EXECUTE FUNCTION leaderboards_list_name_change()
"""


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0038_player_pictures")]

    operations = [
        AddIndexBesideWriters(
            "player",
            models.Index(
                condition=models.Q(("picture_from", models.F("avatar_url")), _negated=True),
                fields=["id"],
                name="player_picture_due",
            ),
        ),
        RunPostgreSQL([_TRIGGER], "DROP TRIGGER leaderboards_player_pictured ON leaderboards_player"),
    ]
